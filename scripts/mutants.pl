#!/usr/bin/env perl
# SPDX-License-Identifier: BSD-3-Clause
# Reads, checks, applies and moves the records of seeded faults, for mutants.sh. It needs Perl without modules.
#   mutants.pl TREE rows [SET]         one line per fault: name, set, file, id of the test, file of the test, make targets, why
#   mutants.pl TREE apply NAME DIR     apply a fault to the copy of the tree in DIR; exit 1 with the reason if it does not apply
#   mutants.pl TREE check              print every problem that can be found without building; exit 1 if there is one
#   mutants.pl TREE moved              rewrite the paths of faults whose code moved to another file
use strict;
use warnings;

my ($tree, $command, @given) = @ARGV;
chdir $tree or die "mutants: $tree: $!\n";

sub slurp { my ($path) = @_; open my $f, '<:raw', $path or die "mutants: $path: $!\n"; local $/; my $text = <$f>; return $text // '' }
my %texts;
sub text_of { my ($path) = @_; return $texts{$path} //= slurp($path) }
# replace PATH TEXT: writes a new file and renames it, since the old one may have hard links in other copies.
sub replace {
    my ($path, $text) = @_;
    my $mode = (stat $path)[2] & 07777;
    open my $f, '>:raw', "$path.new" or die "mutants: $path.new: $!\n";
    print $f $text;
    close $f or die "mutants: $path.new: $!\n";
    chmod $mode, "$path.new" or die "mutants: $path.new: $!\n";
    rename "$path.new", $path or die "mutants: $path: $!\n";
}

# ---- records
# read_faults: all faults, as { name, set, why, file, test, make, from, line_of_file, edits: [text, replacement]... }.
sub read_faults {
    my (@faults, %seen);
    for my $path (glob 'tests/mutants/*.faults') {
        my ($set) = $path =~ m{([^/]+)\.faults$};
        my ($fault, $mark, $line) = (undef, '', 0);
        for (split /\n/, slurp($path)) {
            $line++;
            if (/^#/) { next }
            if ($_ eq '') { $fault = undef; next }
            if (!$fault && /^fault +(\S+)$/) {
                die "mutants: $path:$line: a second fault $1\n" if $seen{$1}++;
                push @faults, $fault = { name => $1, set => $set, from => $path, edits => [] };
            }
            elsif ($fault && /^(why|file|test|make) +(\S.*)$/ && !exists $fault->{$1}) {
                $fault->{$1} = $2;
                $fault->{line_of_file} = $line if $1 eq 'file';
            }
            elsif ($fault && /^([-+])(?: (.*))?$/ && ($1 eq '-' || @{ $fault->{edits} })) {
                push @{ $fault->{edits} }, [[], []] if $1 eq '-' && $mark ne '-';
                push @{ $fault->{edits}[-1][$1 eq '+'] }, $2 // '';
            }
            else { die "mutants: $path:$line: unexpected line: $_\n" }
            $mark = substr $_, 0, 1;
        }
    }
    for my $fault (@faults) {
        for (qw(why file test make)) { die "mutants: $fault->{from}: fault $fault->{name} has no line '$_'\n" unless exists $fault->{$_} }
        die "mutants: $fault->{from}: fault $fault->{name} changes nothing\n" unless @{ $fault->{edits} };
        $_ = [map { join "\n", @$_ } @$_] for @{ $fault->{edits} };
    }
    return sort { $a->{name} cmp $b->{name} } @faults;
}

# read_tests: maps each id of a test to the files that have it, one per test.
sub read_tests {
    my %files_of;
    for my $path (glob 'tests/*.bats') {
        for (slurp($path) =~ /^# bats test_tags=(.*)/mg) { push @{ $files_of{$_} }, $path for /\bid:([^,\s]+)/g }
    }
    return \%files_of;
}

# ---- texts
# places TEXT OLD: the line numbers at which OLD occurs.
sub places {
    my ($text, $old) = @_;
    my ($at, @lines) = (-1);
    push @lines, 1 + (substr($text, 0, $at) =~ tr/\n//) while ($at = index $text, $old, $at + 1) >= 0;
    return @lines;
}

# changed TEXT FAULT: the text with the fault, or undef if a text to replace does not occur exactly once.
# If nothing remains of a line, the line goes, too.
sub changed {
    my ($text, $fault) = @_;
    for (@{ $fault->{edits} }) {
        my ($old, $new) = @$_;
        return undef if places($text, $old) != 1;
        next if $new eq '' && $text =~ s/^[ \t]*\Q$old\E[ \t]*\n//m;
        substr($text, index($text, $old), length $old) = $new;
    }
    return $text;
}

sub pairs { my ($text) = @_; $text =~ s/\s+//g; my %n; $n{ substr $text, $_, 2 }++ for 0 .. length($text) - 2; return \%n }
# likeness PAIRS PAIRS: 0 to 1, by the pairs of characters that both texts have.
sub likeness {
    my ($x, $y) = @_;
    my ($both, $all) = (0, 0);
    for (keys %$x) { my $n = $y->{$_} // 0; $both += $x->{$_} < $n ? $x->{$_} : $n }
    $all += $_ for values %$x, values %$y;
    return $all ? 2 * $both / $all : 0;
}
# nearest OLD NEW PATHS: "FILE:LINE: text" of the line most like the first line that the replacement changes.
sub nearest {
    my ($old, $new, @paths) = @_;
    my @old = split /\n/, $old;
    my @new = split /\n/, $new;
    my ($first) = grep { $_ >= @new || $old[$_] ne $new[$_] } 0 .. $#old;
    my ($wanted, $best, $found) = (pairs($old[$first // 0]), -1, '');
    for my $path (@paths) {
        my $line = 0;
        for (split /\n/, text_of($path)) {
            $line++;
            my $like = likeness($wanted, pairs($_));
            ($best, $found) = ($like, "$path:$line: " . s/^\s+//r) if $like > $best;
        }
    }
    return $found;
}

# judge FAULT: nothing if it applies, else why not, and the file to which its code moved, if that is clear.
sub judge {
    my ($fault) = @_;
    my ($file, $exists, @edits) = ($fault->{file}, -f $fault->{file}, @{ $fault->{edits} });
    return "$file is not in src/" unless $file =~ m{^src/};
    return if $exists && defined changed(text_of($file), $fault);
    for ($exists ? @edits : ()) {
        my @lines = places(text_of($file), $_->[0]);
        return "$file contains the text " . @lines . ' times, at lines ' . join(', ', @lines) if @lines > 1;
    }
    my ($lost) = grep { !$exists || !places(text_of($file), $_->[0]) } @edits;
    return "$file: a replacement repeats another text of the fault" unless $lost;
    my $why = $exists ? "$file does not contain the text" : "$file does not exist";
    my @with = grep { $_ ne $file && places(text_of($_), $lost->[0]) } files_below('src');
    return ("$why, but $with[0] does: run mutants.sh moved", $with[0]) if @with == 1 && defined changed(text_of($with[0]), $fault);
    return "$why; the text is several times in src/: @with" if @with;
    return "$why; nearest is " . nearest(@$lost, $exists ? $file : files_below('src'));
}

sub files_below { my ($dir) = @_; return map { -d $_ ? files_below($_) : -f $_ ? $_ : () } glob "$dir/*" }

# ---- commands
my @faults = read_faults();
my $tests = read_tests();

if ($command eq 'rows') {
    for my $fault (@faults) {
        next if @given && $fault->{set} ne $given[0];
        my $files = $tests->{ $fault->{test} } // [];
        print join("\t", @$fault{qw(name set file test)}, @$files == 1 ? $files->[0] : '-', @$fault{qw(make why)}), "\n";
    }
}
elsif ($command eq 'apply') {
    my ($name, $dir) = @given;
    my ($fault) = grep { $_->{name} eq $name } @faults;
    chdir $dir or die "mutants: $dir: $!\n";
    my ($why) = judge($fault);
    die "$why\n" if $why;
    replace($fault->{file}, changed(slurp($fault->{file}), $fault));
}
elsif ($command eq 'check') {
    my @problems = map { @{ $tests->{$_} } > 1 ? "the id $_ occurs " . @{ $tests->{$_} } . " times in tests/: @{ $tests->{$_} }" : () } sort keys %$tests;
    my %sources = map { m{([^/]+)\.\w+$} ? ($1 => 1) : () } files_below('tests/c'), files_below('tests/cuda'), files_below('src');
    for my $fault (@faults) {
        my ($why) = judge($fault);
        push @problems, "$fault->{name}: $why" if $why;
        push @problems, "$fault->{name}: no test in tests/ has the id $fault->{test}" unless $tests->{ $fault->{test} };
        push @problems, map { "$fault->{name}: no source file for make target $_" } grep { m{^(?:.*/)?(?:spmv-)?([^/]+)$} && !$sources{$1} } split ' ', $fault->{make};
    }
    if (@problems) { print STDERR "$_\n" for @problems; exit 1 }
    printf "%d CPU mutants, %d GPU mutants\n", map { my $set = $_; scalar grep { $_->{set} eq $set } @faults } qw(cpu gpu);
}
elsif ($command eq 'moved') {
    my ($left, %lines_of) = (0);
    for my $fault (@faults) {
        my ($why, $to) = judge($fault) or next;
        if (!$to) { print STDERR "$fault->{name}: $why\n"; $left++; next }
        my $lines = $lines_of{ $fault->{from} } //= [split /^/, slurp($fault->{from})];
        $lines->[$fault->{line_of_file} - 1] =~ s/\Q$fault->{file}\E$/$to/;
        print "$fault->{name}: $fault->{file} -> $to\n";
    }
    replace($_, join '', @{ $lines_of{$_} }) for sort keys %lines_of;
    exit($left > 0);
}
