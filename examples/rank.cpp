/* SPDX-License-Identifier: BSD-3-Clause */
/* The five best configurations for a tridiagonal matrix, in C++17 with objects that free themselves.
 *     rank_cpp [PROFILE [PRODUCTS]] */
#include <spmvcast.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
template <typename T, void (*free_object)(T *)> struct freed_by {
    void operator()(T *object) const { free_object(object); }
};
template <typename T, void (*free_object)(T *)> using owned = std::unique_ptr<T, freed_by<T, free_object>>;
using profile = owned<spmvcast_profile, spmvcast_profile_free>;
using pattern = owned<spmvcast_pattern, spmvcast_pattern_free>;
using ranking = owned<spmvcast_ranking, spmvcast_ranking_free>;

/* One per thread. */
class context
{
    owned<spmvcast_context, spmvcast_context_free> c;

    void check(spmvcast_status status) const
    {
        if (status != SPMVCAST_OK)
            throw std::runtime_error(std::string(spmvcast_status_text(status)) + ": " + spmvcast_message(c.get()));
    }

  public:
    context()
    {
        spmvcast_context *made;
        if (spmvcast_context_create(nullptr, &made) != SPMVCAST_OK)
            throw std::bad_alloc();
        c.reset(made);
    }
    profile open(const char *name)
    {
        spmvcast_profile *made;
        check(spmvcast_profile_open(c.get(), name, &made));
        return profile(made);
    }
    pattern describe(const std::vector<std::int64_t> &row_ptr, const std::vector<std::int32_t> &col, std::int64_t cols)
    {
        spmvcast_csr csr = SPMVCAST_CSR_INIT;
        spmvcast_pattern *made;
        csr.rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
        csr.cols = cols;
        csr.row_ptr = row_ptr.data();
        csr.row_ptr_bits = 64;
        csr.col = col.data();
        check(spmvcast_pattern_describe(c.get(), &csr, &made));
        return pattern(made);
    }
    ranking rank(const profile &p, const pattern &a, const spmvcast_rank_options &options)
    {
        spmvcast_ranking *made;
        check(spmvcast_rank(c.get(), p.get(), a.get(), &options, &made));
        return ranking(made);
    }
};
}    // namespace

int main(int argc, char **argv)
try {
    const std::int32_t n = 200000;
    std::vector<std::int64_t> row_ptr{ 0 };
    std::vector<std::int32_t> col;
    for (std::int32_t i = 0; i < n; i++) {
        for (std::int32_t j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n)
                col.push_back(j);
        row_ptr.push_back(static_cast<std::int64_t>(col.size()));
    }
    context c;
    spmvcast_rank_options options = SPMVCAST_RANK_OPTIONS_INIT;
    options.products = argc > 2 ? std::strtol(argv[2], nullptr, 10) : SPMVCAST_UNLIMITED;
    const ranking r = c.rank(c.open(argc > 1 ? argv[1] : "h200"), c.describe(row_ptr, col, n), options);
    for (std::size_t i = 0; i < 5 && i < spmvcast_ranking_count(r.get()); i++) {
        spmvcast_row row = SPMVCAST_ROW_INIT;
        const char *key, *value;
        if (spmvcast_ranking_row(r.get(), i, &row) != SPMVCAST_OK || row.place == 0)
            break;
        std::printf("%d\t%.2f us\t%s", row.place, row.time_s * 1e6, row.kernel);
        for (std::size_t k = 0; spmvcast_ranking_parameter(r.get(), i, k, &key, &value) == SPMVCAST_OK; k++)
            std::printf(" %s=%s", key, value);
        std::printf("\n");
    }
} catch (const std::exception &error) {
    std::fprintf(stderr, "rank_cpp: %s\n", error.what());
    return EXIT_FAILURE;
}
