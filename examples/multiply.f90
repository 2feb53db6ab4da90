! SPDX-License-Identifier: BSD-3-Clause
! Which format multiplies fastest with a tridiagonal matrix on a GPU, by its profile; then y = A x on this CPU, in the format that suits it.
!     multiply [PROFILE]
program multiply
    use spmvcast
    implicit none
    integer, parameter :: n = 100000
    integer(c_int32_t), target :: row_ptr(n + 1), col(3 * n)
    real(c_double), target :: val(3 * n), x(n), y(n)
    type(c_ptr) :: context = c_null_ptr, profile = c_null_ptr, pattern = c_null_ptr, ranking = c_null_ptr, device = c_null_ptr, &
                   matrix = c_null_ptr
    type(spmvcast_csr) :: csr
    type(spmvcast_rank_options) :: rank_options
    type(spmvcast_matrix_options) :: matrix_options
    type(spmvcast_device_options) :: device_options
    type(spmvcast_advice) :: advice
    type(spmvcast_row) :: row
    type(spmvcast_matrix_info) :: info
    character(4096) :: name
    integer :: i, j, k

    k = 1
    do i = 1, n
        row_ptr(i) = k
        do j = max(i - 1, 1), min(i + 1, n)
            col(k) = j
            val(k) = merge(2d0, -1d0, i == j)
            k = k + 1
        end do
    end do
    row_ptr(n + 1) = k
    csr%rows = n
    csr%cols = n
    csr%row_ptr = c_loc(row_ptr)
    csr%col = c_loc(col)
    csr%val = c_loc(val)
    csr%base = 1
    device_options%kind = SPMVCAST_CPU
    call get_command_argument(1, name)
    if (name == '') name = 'h200'

    call check(spmvcast_context_create(c_null_ptr, context))
    call check(spmvcast_profile_open(context, trim(name)//c_null_char, profile))
    call check(spmvcast_pattern_describe(context, csr, pattern))
    call check(spmvcast_rank(context, profile, pattern, rank_options, ranking))
    i = spmvcast_ranking_advice(ranking, advice)
    print '(a)', spmvcast_text(advice%text)
    if (i == SPMVCAST_OK) then ! SPMVCAST_NO_ENTRY: nothing is recommended, and the text says why
        if (spmvcast_ranking_row(ranking, advice%row, row) /= SPMVCAST_OK) error stop 'no row'
        print '(2a, i0, a, i0, a, f0.2, a)', spmvcast_text(row%config), ': place ', row%place, ' of ', &
            spmvcast_ranking_count(ranking), ' configurations; ', 1d6 * row%time_s, ' us a product'
    end if

    call check(spmvcast_device_open(context, device_options, device))
    call check(spmvcast_matrix_create(context, device, csr, matrix_options, matrix))
    x = 1
    if (spmvcast_multiply(matrix, 1d0, c_loc(x), 0d0, c_loc(y), c_null_ptr) /= SPMVCAST_OK) &
        error stop spmvcast_text(spmvcast_matrix_message(matrix))
    print '(a, g0)', 'sum of y: ', sum(y)
    if (spmvcast_matrix_get_info(matrix, info) == SPMVCAST_OK) print '(2a)', 'on this CPU: ', spmvcast_text(info%config)

    call spmvcast_matrix_free(matrix)
    call spmvcast_device_free(device)
    call spmvcast_ranking_free(ranking)
    call spmvcast_pattern_free(pattern)
    call spmvcast_profile_free(profile)
    call spmvcast_context_free(context)
contains
    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status /= SPMVCAST_OK) error stop spmvcast_text(spmvcast_message(context))
    end subroutine
end program
