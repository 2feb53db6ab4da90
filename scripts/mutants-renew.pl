#!/usr/bin/env perl
# SPDX-License-Identifier: BSD-3-Clause
# Regenerates patches for code that was moved, split, renamed or reformatted: the code search of mutants.sh renew.
#   mutants-renew.pl BASE NOW PATCHES NEW NAME...
# BASE and NOW are trees that contain src/. PATCHES/NAME.patch applies to BASE; if a different patch is needed to make the same change
# in NOW, it is written to NEW/NAME.patch. Prints one row per mutant: name, status, files, reason (see mutants.sh).
#
# A change is a range of tokens of BASE and its replacement text, so line breaks, indentation and comments do not matter.
# The first of these rules that finds a place in NOW decides:
#   1. the tokens with 40 more on each side occur exactly once in src/ of NOW, and exactly once in BASE;
#   2. a token diff between the old file and a file of NOW keeps them, their neighbours and at least half of the 30 tokens on
#      each side, or one neighbour and 7 in 10. Candidates are the file of the same path and those that share most with the context
#      of the change. Of several matches, the clearly best one wins, else the file of the same path;
#   3. like 1., with 12 or 6 more on each side, for code whose context was moved and changed;
#   4. like 1., with 6 or 3 more on each side, in the file of the same path only.
use strict;
use warnings;
use File::Find;

my ($base_dir, $now_dir, $patches, $new_dir, @names) = @ARGV;
my $GRAM = 6;                                # length of the token runs by which `sharing` compares files

sub slurp { my ($path) = @_; open my $f, '<:raw', $path or die "mutants.sh: $path: $!\n"; local $/; my $t = <$f>; close $f; $t // '' }
sub spew { my ($path, $text) = @_; open my $f, '>:raw', $path or die "mutants.sh: $path: $!\n"; print $f $text; close $f or die "mutants.sh: $path: $!\n" }

# ---- tokens
# tokens TEXT: { t: tokens, from: first byte of each, to: byte after each }. Comments and white space separate tokens; the end of a
# line is a token if it ends a preprocessor directive; adjacent string literals are one token.
sub tokens {
    my ($text) = @_;
    my (@t, @from, @to);
    my ($fresh, $directive, $after_string) = (1, 0, 0);
    for ($text) {
        pos = 0;
        while (pos() < length) {
            if (/\G(?:[ \t\r\f]+|\\\r?\n|\/\/(?:\\\r?\n|[^\n])*|\/\*.*?\*\/)/gcs) { next }
            my $at = pos;
            if (/\G\n/gc) {
                if ($directive) { push @t, "\n"; push @from, $at; push @to, $at; $after_string = 0 }
                ($fresh, $directive) = (1, 0);
                next;
            }
            if ($fresh && /\G#/gc) { $directive = 1 }
            elsif (/\G"(?:[^"\\\n]|\\.)*"/gcs) {
                if ($after_string) { chop $t[-1]; $t[-1] .= substr($_, $at + 1, pos() - $at - 1); $to[-1] = pos; $fresh = 0; next }
            }
            else {
                /\G(?:'(?:[^'\\\n]|\\.)+'|[A-Za-z_]\w*|\.?\d(?:[eEpP][-+]|[\w.])*|<<=|\.\.\.|->|\+\+|--|<<|[-+*\/%&|^<>=!]=|&&|\|\||::|\#\#|.)/gcs;
            }
            push @t, substr($_, $at, pos() - $at); push @from, $at; push @to, pos;
            $after_string = $t[-1] =~ /^"./;
            $fresh = 0;
        }
    }
    return { text => $text, t => \@t, from => \@from, to => \@to };
}

# tree DIR: maps the path of each file in src/ to its tokens; equal files share them.
my %tokens_of;
sub tree {
    my ($dir) = @_;
    my %files;
    find({ no_chdir => 1, wanted => sub {
        return unless -f $_ && !-l $_;
        my $text = slurp($_);
        return if $text =~ /\0/;
        my $path = substr($_, length($dir) + 1);
        $files{$path} = $tokens_of{$text} //= do { my $k = tokens($text); $k->{joined} = "\x1f" . join("\x1f", @{ $k->{t} }) . "\x1f"; $k };
    } }, "$dir/src");
    return \%files;
}
my ($base, $now) = (tree($base_dir), tree($now_dir));
my %word_of;                                 # set of all tokens of a tree
sub has_word {
    my ($files, $word) = @_;
    my $words = $word_of{$files} //= do { my %w; for my $f (values %$files) { $w{$_} = 1 for @{ $f->{t} } } \%w };
    return $words->{$word};
}

# ---- patches
# read_patch FILE: returns the header and the hunks, in order, as { path, line, rows: [mark, text]... }.
sub read_patch {
    my ($file) = @_;
    my ($head, $path, @hunks) = ('');
    for (split /^/, slurp($file)) {
        if (/^--- a\/(\S+)/) { $path = $1 }
        elsif (!defined $path) { $head .= $_ }
        elsif (/^@@ -(\d+)(?:,(\d+))?/) { push @hunks, { path => $path, line => $1 + (defined $2 && !$2), rows => [] } }
        elsif (@hunks && /^([-+ ])(.*\n?)/s) { push @{ $hunks[-1]{rows} }, [$1, $2] }
        elsif (@hunks && /^\\/) { chomp $hunks[-1]{rows}[-1][1] }
        elsif (@hunks && $_ eq "\n") { push @{ $hunks[-1]{rows} }, [' ', "\n"] }
    }
    return ($head, \@hunks);
}
sub old_rows { join '', map { $_->[1] } grep { $_->[0] ne '+' } @{ $_[0]{rows} } }

# places TEXT HUNK: returns the lines, counted from 0, at which the old text of the hunk occurs.
sub places {
    my ($text, $hunk) = @_;
    my $old = old_rows($hunk);
    my ($at, @places) = (-1);
    while (($at = index($text, $old, $at + 1)) >= 0) {
        push @places, (substr($text, 0, $at) =~ tr/\n//) if !$at || substr($text, $at - 1, 1) eq "\n";
    }
    return @places;
}
sub nearest { my ($line, @places) = @_; my ($best) = sort { abs($a - $line) <=> abs($b - $line) } @places; $best }

# blocks TEXT HUNKS: returns the byte ranges that patch(1) would replace, in order, as [from, to, new text]; none if the patch does not
# apply.
sub blocks {
    my ($text, @hunks) = @_;
    my @start = (0); push @start, pos($text) while $text =~ /\n/g;
    push @start, length $text if $start[-1] != length $text;
    my ($off, @blocks) = (0);
    for my $hunk (@hunks) {
        my $line = nearest($hunk->{line} - 1 + $off, places($text, $hunk));
        return unless defined $line;
        $off = $line - ($hunk->{line} - 1);
        my $open = 0;
        for (@{ $hunk->{rows} }) {
            my ($mark, $row) = @$_;
            push @blocks, [$start[$line], $start[$line], ''] if $mark ne ' ' && !$open;
            $open = $mark ne ' ';
            $blocks[-1][1] = $start[$line + 1] if $mark eq '-';
            $blocks[-1][2] .= $row if $mark eq '+';
            $line++ if $mark ne '+';
        }
    }
    return @blocks;
}
sub replaced { my ($text, @blocks) = @_; substr($text, $_->[0], $_->[1] - $_->[0]) = $_->[2] for reverse @blocks; $text }

# ---- from a patch to ranges of tokens
sub first_from { my ($k, $byte) = @_; my ($lo, $hi) = (0, scalar @{ $k->{from} }); while ($lo < $hi) { my $m = ($lo + $hi) >> 1; if ($k->{from}[$m] < $byte) { $lo = $m + 1 } else { $hi = $m } } $lo }

# gap K I: the text between tokens I - 1 and I; a line break at both ends of a file.
sub gap { my ($k, $i) = @_; !$i || $i == @{ $k->{t} } ? "\n" : substr($k->{text}, $k->{to}[$i - 1], $k->{from}[$i] - $k->{to}[$i - 1]) }
sub apart { gap(@_) =~ /\n/ }
sub spaced { my ($old, $i, $new, $k) = @_; my ($a, $b) = (gap($old, $i), gap($new, $k)); $a ne $b && "$a$b" !~ /[^ ]/ }

# changes OLD NEW BLOCKS: the changes as ranges of tokens of OLD, [first token, one past the last, replacement text, its tokens]. Neither a
# range nor its replacement is empty.
sub changes {
    my ($old, $new, @blocks) = @_;
    my ($o, $n) = ($old->{t}, $new->{t});
    my ($shift, @ranges) = (0);
    for (@blocks) {
        my ($from, $to, $text) = @$_;
        push @ranges, [first_from($old, $from), first_from($old, $to), first_from($new, $from + $shift), first_from($new, $from + $shift + length $text)];
        $shift += length($text) - ($to - $from);
    }
    # The tokens outside the blocks must agree. If they do not (a comment or literal crosses a block), use one range for the whole file.
    my ($i, $k, $alike) = (0, 0, 1);
    for (@ranges, [scalar @$o, 0, scalar @$n, 0]) {
        $alike &&= $_->[0] - $i == $_->[2] - $k && join("\x1f", @$o[$i .. $_->[0] - 1]) eq join("\x1f", @$n[$k .. $_->[2] - 1]);
        ($i, $k) = @$_[1, 3];
    }
    @ranges = [0, scalar @$o, 0, scalar @$n] unless $alike;
    my @changes;
    for (@ranges) {
        my ($a, $b, $c, $d) = @$_;
        while ($a < $b && $c < $d && $o->[$a] eq $n->[$c]) { $a++; $c++ }
        while ($a < $b && $c < $d && $o->[$b - 1] eq $n->[$d - 1]) { $b--; $d-- }
        next if $a == $b && $c == $d;
        # If one side is empty, add a neighbouring token to both: the left one, so that whole lines are added and removed with their line
        # breaks, or the right one if the line continues only to the right.
        if ($a == $b || $c == $d) {
            my ($k, $from, $past) = $a == $b ? ($new, $c, $d) : ($old, $a, $b);
            if (!$from || $k->{t}[$from - 1] eq "\n" || apart($k, $from) && !apart($k, $past)) { return if $b == @$o; $b++; $d++ }
            else { $a--; $c-- }
        }
        if (spaced($old, $a, $new, $c)) { $a--; $c-- }       # -x becomes 1 - x: include the neighbour for correct spacing
        if (spaced($old, $b, $new, $d)) { $b++; $d++ }
        push @changes, [$a, $b, substr($new->{text}, $new->{from}[$c], $new->{to}[$d - 1] - $new->{from}[$c]), [@$n[$c .. $d - 1]]];
    }
    return @changes;
}

# ---- from tokens of BASE to those of NOW
# occurrences FILES TOKENS: where these tokens occur in the files, as [path, index of the first token]...
sub occurrences {
    my ($files, @needle) = @_;
    my $needle = "\x1f" . join("\x1f", @needle) . "\x1f";
    my @found;
    for my $path (sort keys %$files) {
        my $at = -1;
        push @found, [$path, (substr($files->{$path}{joined}, 0, $at) =~ tr/\x1f//)] while ($at = index($files->{$path}{joined}, $needle, $at + 1)) >= 0;
    }
    return @found;
}
# once OLD I J WIDTH [PATH]: (path, index) in NOW of the range with WIDTH more tokens on each side, if it is unique in both trees, or only
# in PATH if given.
sub once {
    my ($old, $i, $j, $width, $path) = @_;
    my $t = $old->{t};
    my ($from, $to) = ($i < $width ? 0 : $i - $width, $j + $width > @$t ? scalar @$t : $j + $width);
    my @needle = @$t[$from .. $to - 1];
    my ($of_base, $of_now) = defined $path ? ({ $path => $old }, { $path => $now->{$path} }) : ($base, $now);
    return if @needle < 10;
    my @found = occurrences($of_now, @needle);
    return ($found[0][0], $found[0][1] + $i - $from) if @found == 1 && occurrences($of_base, @needle) == 1;
    return;
}

# sharing TOKENS I J: the files of NOW that share runs of tokens with the context of a change, best first. Runs in many files weigh less.
my %files_with;
sub sharing {
    my ($t, $i, $j) = @_;
    unless (%files_with) {
        for my $path (keys %$now) {
            my ($k, %seen) = $now->{$path}{t};
            for (0 .. @$k - $GRAM) { my $run = join("\x1f", @$k[$_ .. $_ + $GRAM - 1]); push @{ $files_with{$run} }, $path unless $seen{$run}++ }
        }
    }
    my %score;
    for (($i < 150 ? 0 : $i - 150) .. ($j + 150 > @$t ? @$t : $j + 150) - $GRAM) {
        my $with = $files_with{join("\x1f", @$t[$_ .. $_ + $GRAM - 1])} or next;
        $score{$_} += 1 / @$with for @$with;
    }
    return sort { $score{$b} <=> $score{$a} || $a cmp $b } keys %score;
}

# alignment OLD PATH: for each token of BASE's file, its index in NOW's file; -1: none.
my %aligned;
sub alignment {
    my ($old, $path) = @_;
    return $aligned{"$old $path"} //= do {
        my ($a, $b) = ($old->{t}, $now->{$path}{t});
        for (["$new_dir/.old", $a], ["$new_dir/.now", $b]) { spew($_->[0], join('', map { s/\n/\\n/gr . "\n" } @{ $_->[1] })) }
        open my $diff, '-|', 'diff', '-U0', "$new_dir/.old", "$new_dir/.now" or die "mutants.sh: diff: $!\n";
        my (@to, @hunks);
        while (<$diff>) { push @hunks, [$1, $2 // 1, $3, $4 // 1] if /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/ }
        close $diff;
        die "mutants.sh: diff failed\n" if $? >> 8 > 1;
        my ($i, $k) = (0, 0);
        for (@hunks, [scalar @$a + 1, 0, scalar @$b + 1, 0, 1]) {
            my ($x, $nx, $y, $ny, $end) = @$_;
            my $stop = $end || $nx ? $x - 1 : $x;
            push @to, $k++ while @to < $stop;
            push @to, (-1) x $nx;
            $k += $ny;
        }
        \@to;
    };
}

# kept OLD I J PATH: (index of token I in PATH, share of the context tokens kept); the index is undef if the range was not kept.
sub kept {
    my ($old, $i, $j, $path) = @_;
    my ($to, $n) = (alignment($old, $path), scalar @{ $old->{t} });
    my ($around, $of) = (0, 0);
    for (($i < 30 ? 0 : $i - 30) .. ($j + 30 > $n ? $n : $j + 30) - 1) { if ($_ < $i || $_ >= $j) { $of++; $around++ if $to->[$_] >= 0 } }
    my $share = $of ? $around / $of : 1;
    for ($i .. $j - 1) { return (undef, $share) if $to->[$_] < 0 || $to->[$_] != $to->[$i] + $_ - $i }
    my $left = !$i || $to->[$i - 1] == $to->[$i] - 1;
    my $right = $j == $n || $to->[$j] == $to->[$j - 1] + 1;
    return ($left && $right || ($left || $right) && $share >= 0.7 ? $to->[$i] : undef, $share);
}

# place OLD PATH CHANGE: (path, index) of the changed code in NOW, or (undef, reason).
sub place {
    my ($old, $path, $change) = @_;
    my ($i, $j) = @$change;
    my @found = once($old, $i, $j, 40);
    return @found if @found;
    my @sharing = grep { $_ ne $path } sharing($old->{t}, $i, $j);
    splice @sharing, 3 if @sharing > 3;
    my ($near, $most, @kept) = (undef, 0);
    for my $file ($now->{$path} ? $path : (), @sharing) {
        my ($at, $share) = kept($old, $i, $j, $file);
        push @kept, [$file, $at, $share] if defined $at && $share >= 0.5;
        if ($share > $most) { ($near, $most) = ([$file, $i], $share) }
    }
    @kept = sort { $b->[2] <=> $a->[2] || ($b->[0] eq $path) <=> ($a->[0] eq $path) } @kept;
    if (@kept) {
        my @others = grep { $_ != $kept[0] && $_->[2] > $kept[0][2] - 0.15 } @kept;
        return @{ $kept[0] }[0, 1] if !@others;
        for (@kept[0 .. @others]) { return @$_[0, 1] if $_->[0] eq $path }
    }
    for my $width (12, 6) {
        @found = once($old, $i, $j, $width);
        return @found if @found;
    }
    for my $width ($now->{$path} ? (6, 3) : ()) {
        @found = once($old, $i, $j, $width, $path);
        return @found if @found;
    }
    return (undef, "the changed code is in several files: " . join(' ', map { $_->[0] } @kept)) if @kept;
    return (undef, "the changed code was not found in src/" . ($near && $most >= 0.3 ? "; look at " . where($old, $i, $near->[0]) : ''));
}
# where OLD I PATH: the place in NOW, as file:line, of the code before token I.
sub where {
    my ($old, $i, $path) = @_;
    my $to = alignment($old, $path);
    $i-- while $i > 0 && $to->[$i] < 0;
    my $byte = $now->{$path}{from}[$to->[$i] < 0 ? 0 : $to->[$i]];
    return "$path:" . (1 + (substr($now->{$path}{text}, 0, $byte) =~ tr/\n//));
}

# ---- a new patch
# diff_of PATH TEXT: hunks that turn NOW's PATH into TEXT, with one line of context, or more if the hunks were ambiguous.
sub diff_of {
    my ($path, $text) = @_;
    spew("$new_dir/.old", $now->{$path}{text});
    spew("$new_dir/.now", $text);
    for my $context (1 .. 30) {
        open my $diff, '-|', 'diff', "-U$context", "$new_dir/.old", "$new_dir/.now" or die "mutants.sh: diff: $!\n";
        my @lines = <$diff>;
        close $diff;
        splice @lines, 0, 2, "--- a/$path\n", "+++ b/$path\n";
        my $written = join '', @lines;
        spew("$new_dir/.patch", $written);
        my (undef, $hunks) = read_patch("$new_dir/.patch");
        return $written unless grep { places($now->{$path}{text}, $_) != 1 } @$hunks;
    }
    return;
}

# renew NAME: makes the new patch if one is needed; returns (status, files, reason).
sub renew {
    my ($name) = @_;
    my ($head, $hunks) = read_patch("$patches/$name.patch");
    my (%of, @paths);
    for (@$hunks) { push @paths, $_->{path} unless $of{$_->{path}}; push @{ $of{$_->{path}} }, $_ }
    my $files = join ' ', @paths;
    return ('failed', $files || '-', 'not a patch') unless @paths;
    my $fits = !grep { my $p = $_; !$now->{$p} || !blocks($now->{$p}{text}, @{ $of{$p} }) } @paths;
    my $alone = $fits && !grep { my $h = $_; places($now->{$h->{path}}{text}, $h) != 1 || $base->{$h->{path}} && places($base->{$h->{path}}{text}, $h) > 1 } @$hunks;
    return ('same', $files, '-') if $alone || $fits && !grep { !$base->{$_} || $base->{$_}{text} ne $now->{$_}{text} } @paths;

    my %put;                                 # path in NOW => bytes to replace
    for my $path (@paths) {
        my $old = $base->{$path};
        my @blocks = $old ? blocks($old->{text}, @{ $of{$path} }) : ();
        return ('failed', $files, "does not apply to BASE: $path " . ($old ? 'has other lines there' : 'does not exist')) unless @blocks;
        my @changes = changes($old, tokens(replaced($old->{text}, @blocks)), @blocks);
        return ('failed', $files, 'changes no code that can be searched for') unless @changes;
        for my $change (@changes) {
            my ($gone) = grep { /^[A-Za-z_]/ && has_word($base, $_) && !has_word($now, $_) } @{ $change->[3] };
            my ($to, $at) = place($old, $path, $change);
            return ('failed', $files, $at) unless defined $to;
            return ('failed', $files, "uses '$gone' in $to, which no longer exists in src/") if defined $gone;
            my $k = $now->{$to};
            push @{ $put{$to} }, [$k->{from}[$at], $k->{to}[$at + $change->[1] - $change->[0] - 1], $change->[2]];
        }
    }
    my $written = '';
    for my $path (sort keys %put) {
        my @put = sort { $a->[0] <=> $b->[0] } @{ $put{$path} };
        for (1 .. $#put) { return ('failed', $files, "two of its changes overlap in $path") if $put[$_][0] < $put[$_ - 1][1] }
        my $text = replaced($now->{$path}{text}, @put);
        return ('same', $files, '-') if $fits && keys %put == 1 && $path eq $files && $text eq replaced($now->{$path}{text}, blocks($now->{$path}{text}, @{ $of{$path} }));
        my $diff = diff_of($path, $text);
        return ('failed', $files, "no unique lines around the change in $path") unless defined $diff;
        $written .= $diff;
    }
    spew("$new_dir/$name.patch", "$head$written");
    my (undef, $now_hunks) = read_patch("$new_dir/$name.patch");
    my $rows = sub { join "\n", map { join '', map { "$_->[0]$_->[1]" } grep { $_->[0] ne ' ' } @{ $_->{rows} } } @{ $_[0] } };
    return ($rows->($hunks) eq $rows->($now_hunks) ? 'moved' : 'renewed', join(' ', sort keys %put), '-');
}

for my $name (@names) {
    print join("\t", $name, renew($name)), "\n";
}
unlink map { "$new_dir/$_" } '.old', '.now', '.patch';
