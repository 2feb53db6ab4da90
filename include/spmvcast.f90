! SPDX-License-Identifier: BSD-3-Clause
! Module spmvcast: the main path of libspmvcast for Fortran 2003. Names, meanings and order of members are those of
! spmvcast.h, which explains them; a default-initialized structure has the values of its ..._INIT macro. Compile it with your program:
! modules of one compiler cannot be read by another. examples/multiply.f90 is a whole program.
module spmvcast
    use, intrinsic :: iso_c_binding
    implicit none
    public

    integer(c_int), parameter :: SPMVCAST_OK = 0, SPMVCAST_INVALID_ARGUMENT = 1, SPMVCAST_INVALID_MATRIX = 2
    integer(c_int), parameter :: SPMVCAST_OUT_OF_MEMORY = 3, SPMVCAST_NO_PROFILE = 4, SPMVCAST_DAMAGED_FILE = 5
    integer(c_int), parameter :: SPMVCAST_NO_FORECAST = 6, SPMVCAST_NO_ENTRY = 7, SPMVCAST_INTERNAL_ERROR = 8
    integer(c_int), parameter :: SPMVCAST_NO_DEVICE = 9, SPMVCAST_DEVICE_ERROR = 10
    integer(c_int), parameter :: SPMVCAST_F64 = 0, SPMVCAST_F32 = 1
    integer(c_int), parameter :: SPMVCAST_WARM = 0, SPMVCAST_COLD = 1
    integer(c_int), parameter :: SPMVCAST_GRAPH = 0, SPMVCAST_STREAM = 1
    integer(c_int), parameter :: SPMVCAST_ON_GPU = 0, SPMVCAST_ON_HOST = 1
    integer(c_int), parameter :: SPMVCAST_ROW_OK = 0, SPMVCAST_ROW_EXTRAPOLATED = 1, SPMVCAST_ROW_REFUSED = 2
    integer(c_int), parameter :: SPMVCAST_ROW_INAPPLICABLE = 3
    integer(c_int), parameter :: SPMVCAST_FASTEST = 0, SPMVCAST_SURE = 1, SPMVCAST_STAY = 2
    integer(c_size_t), parameter :: SPMVCAST_NO_ROW = -1
    integer(c_int), parameter :: SPMVCAST_GPU = 0, SPMVCAST_CPU = 1
    integer(c_int), parameter :: SPMVCAST_TRIAL_AT_CREATION = 0, SPMVCAST_TRIAL_IN_PRODUCTS = 1
    integer(c_int), parameter :: SPMVCAST_BY_FORECAST = 0, SPMVCAST_BY_RULE = 1, SPMVCAST_BY_NAME = 2
    integer(c_int), parameter :: SPMVCAST_BY_TRIAL = 3, SPMVCAST_BY_PLAN = 4
    integer(c_int64_t), parameter :: SPMVCAST_PRODUCTS = 200, SPMVCAST_UNLIMITED = -1, SPMVCAST_CSR_ONLY = -1
    real(c_double), parameter :: SPMVCAST_NO_RISK = -1

    ! row_ptr, col, val: c_loc of arrays with the attribute target; base 1 is Fortran's.
    type, bind(c) :: spmvcast_csr
        integer(c_size_t) :: size = 88
        integer(c_int64_t) :: rows = 0, cols = 0
        type(c_ptr) :: row_ptr = c_null_ptr, col = c_null_ptr
        integer(c_int) :: row_ptr_bits = 32, base = 0
        type(c_ptr) :: name = c_null_ptr, group = c_null_ptr, val = c_null_ptr
        integer(c_int64_t) :: nnz = 0
        integer(c_int) :: val_bits = 0
    end type
    type, bind(c) :: spmvcast_rank_options
        integer(c_size_t) :: size = 64
        integer(c_int) :: precision = SPMVCAST_F64, cache = SPMVCAST_WARM, launch = SPMVCAST_GRAPH, place = SPMVCAST_ON_GPU
        integer(c_int64_t) :: products = SPMVCAST_PRODUCTS
        real(c_double) :: risk = 0
        type(c_ptr) :: model = c_null_ptr, configs = c_null_ptr
        integer(c_size_t) :: nconfigs = 0
    end type
    ! Texts (config, reason, ...): spmvcast_text makes strings of them.
    type, bind(c) :: spmvcast_row
        integer(c_size_t) :: size = 256
        integer(c_int) :: place = 0
        type(c_ptr) :: config = c_null_ptr, kernel = c_null_ptr
        integer(c_int) :: status = SPMVCAST_ROW_OK
        type(c_ptr) :: reason = c_null_ptr, model = c_null_ptr
        real(c_double) :: time_s = 0, low_s = 0, high_s = 0, convert_s = 0, prepare_s = 0
        real(c_double) :: total_s = 0, total_low_s = 0, total_high_s = 0
        real(c_double) :: breakeven_library = 0, breakeven_stay = 0, speedup = 0
        integer(c_int64_t) :: least_bytes = 0, storage_bytes = 0
        integer(c_int) :: best_of_kernel = 0, in_training = 0, requested = 0
        real(c_double) :: gain_stay = 0, gain_stay_low = 0, gain_stay_high = 0
        real(c_double) :: gain_library = 0, gain_library_low = 0, gain_library_high = 0
        real(c_double) :: breakeven_stay_low = 0, breakeven_stay_high = 0
        real(c_double) :: breakeven_library_low = 0, breakeven_library_high = 0
    end type
    ! Rows are counted from 0, as in C; SPMVCAST_NO_ROW is its SIZE_MAX.
    type, bind(c) :: spmvcast_advice
        integer(c_size_t) :: size = 56
        integer(c_size_t) :: row = SPMVCAST_NO_ROW, library_row = SPMVCAST_NO_ROW, stay_row = SPMVCAST_NO_ROW
        integer(c_int) :: alike = 0
        type(c_ptr) :: text = c_null_ptr
        integer(c_int) :: why = SPMVCAST_FASTEST
    end type
    type, bind(c) :: spmvcast_device_options
        integer(c_size_t) :: size = 24
        integer(c_int) :: kind = SPMVCAST_GPU, index = 0
        type(c_ptr) :: profile = c_null_ptr
    end type
    type, bind(c) :: spmvcast_matrix_options
        integer(c_size_t) :: size = 88
        integer(c_int) :: precision = SPMVCAST_F64, launch = SPMVCAST_GRAPH
        integer(c_int64_t) :: products = SPMVCAST_PRODUCTS
        type(c_ptr) :: config = c_null_ptr
        integer(c_int) :: deterministic = 0
        integer(c_int64_t) :: memory_limit = 0, trial_products = 0
        integer(c_int) :: check_columns = 0, updates = 0, transpose = 0
        type(c_ptr) :: plan = c_null_ptr
        integer(c_int) :: trial_when = SPMVCAST_TRIAL_AT_CREATION, copy = 0
    end type
    type, bind(c) :: spmvcast_matrix_info
        integer(c_size_t) :: size = 192
        type(c_ptr) :: config = c_null_ptr, kernel = c_null_ptr
        integer(c_int) :: choice = SPMVCAST_BY_FORECAST
        integer(c_int64_t) :: rows = 0, cols = 0, nnz = 0
        real(c_double) :: time_s = 0, low_s = 0, high_s = 0, trial_s = 0
        real(c_double) :: upload_s = 0, examine_s = 0, choose_s = 0, try_s = 0, convert_s = 0, prepare_s = 0, update_s = 0
        integer(c_int64_t) :: extra_bytes = 0
        integer(c_int) :: refers = 0, deterministic = 0, trying = 0
        type(c_ptr) :: transposed_config = c_null_ptr
        real(c_double) :: transpose_s = 0
        integer(c_int64_t) :: transpose_bytes = 0
    end type

    ! Objects (context, profile, ...) are of type(c_ptr). Names end with c_null_char. alpha, beta and stream: see spmvcast_multiply.
    interface
        integer(c_int) function spmvcast_context_create(options, context) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: options ! c_null_ptr: the defaults
            type(c_ptr), intent(out) :: context
        end function
        type(c_ptr) function spmvcast_message(context) bind(c)
            import :: c_ptr
            type(c_ptr), value :: context
        end function
        type(c_ptr) function spmvcast_warning(context) bind(c)
            import :: c_ptr
            type(c_ptr), value :: context
        end function
        integer(c_int) function spmvcast_profile_open(context, name, profile) bind(c)
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: context
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr), intent(out) :: profile
        end function
        integer(c_int) function spmvcast_pattern_describe(context, csr, pattern) bind(c)
            import :: c_int, c_ptr, spmvcast_csr
            type(c_ptr), value :: context
            type(spmvcast_csr), intent(in) :: csr
            type(c_ptr), intent(out) :: pattern
        end function
        integer(c_int) function spmvcast_rank(context, profile, pattern, options, ranking) bind(c)
            import :: c_int, c_ptr, spmvcast_rank_options
            type(c_ptr), value :: context, profile, pattern
            type(spmvcast_rank_options), intent(in) :: options
            type(c_ptr), intent(out) :: ranking
        end function
        integer(c_size_t) function spmvcast_ranking_count(ranking) bind(c)
            import :: c_size_t, c_ptr
            type(c_ptr), value :: ranking
        end function
        ! i: from 0, as spmvcast_advice has them
        integer(c_int) function spmvcast_ranking_row(ranking, i, row) bind(c)
            import :: c_int, c_size_t, c_ptr, spmvcast_row
            type(c_ptr), value :: ranking
            integer(c_size_t), value :: i
            type(spmvcast_row), intent(inout) :: row
        end function
        integer(c_int) function spmvcast_ranking_advice(ranking, advice) bind(c)
            import :: c_int, c_ptr, spmvcast_advice
            type(c_ptr), value :: ranking
            type(spmvcast_advice), intent(inout) :: advice
        end function
        integer(c_int) function spmvcast_device_open(context, options, device) bind(c)
            import :: c_int, c_ptr, spmvcast_device_options
            type(c_ptr), value :: context
            type(spmvcast_device_options), intent(in) :: options
            type(c_ptr), intent(out) :: device
        end function
        integer(c_int) function spmvcast_matrix_create(context, device, csr, options, matrix) bind(c)
            import :: c_int, c_ptr, spmvcast_csr, spmvcast_matrix_options
            type(c_ptr), value :: context, device
            type(spmvcast_csr), intent(in) :: csr
            type(spmvcast_matrix_options), intent(in) :: options
            type(c_ptr), intent(out) :: matrix
        end function
        ! x, y: c_loc of host arrays, or addresses of device memory; stream: c_null_ptr on a CPU.
        integer(c_int) function spmvcast_multiply(matrix, alpha, x, beta, y, stream) bind(c)
            import :: c_int, c_ptr, c_double
            type(c_ptr), value :: matrix, x, y, stream
            real(c_double), value :: alpha, beta
        end function
        integer(c_int) function spmvcast_multiply_transposed(matrix, alpha, x, beta, y, stream) bind(c)
            import :: c_int, c_ptr, c_double
            type(c_ptr), value :: matrix, x, y, stream
            real(c_double), value :: alpha, beta
        end function
        ! val: c_loc of a target array, which must live until the next update or the end of the matrix
        integer(c_int) function spmvcast_update_values(context, matrix, val) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: context, matrix, val
        end function
        integer(c_int) function spmvcast_matrix_get_info(matrix, info) bind(c)
            import :: c_int, c_ptr, spmvcast_matrix_info
            type(c_ptr), value :: matrix
            type(spmvcast_matrix_info), intent(inout) :: info
        end function
        type(c_ptr) function spmvcast_matrix_message(matrix) bind(c)
            import :: c_ptr
            type(c_ptr), value :: matrix
        end function
        subroutine spmvcast_context_free(object) bind(c)
            import :: c_ptr
            type(c_ptr), value :: object
        end subroutine
        subroutine spmvcast_profile_free(object) bind(c)
            import :: c_ptr
            type(c_ptr), value :: object
        end subroutine
        subroutine spmvcast_pattern_free(object) bind(c)
            import :: c_ptr
            type(c_ptr), value :: object
        end subroutine
        subroutine spmvcast_ranking_free(object) bind(c)
            import :: c_ptr
            type(c_ptr), value :: object
        end subroutine
        subroutine spmvcast_device_free(object) bind(c)
            import :: c_ptr
            type(c_ptr), value :: object
        end subroutine
        subroutine spmvcast_matrix_free(object) bind(c)
            import :: c_ptr
            type(c_ptr), value :: object
        end subroutine
    end interface
contains
    ! The text of a message, an advice, a row or an info.
    function spmvcast_text(text) result(copy)
        type(c_ptr), intent(in) :: text
        character(:), allocatable :: copy
        character(kind=c_char), pointer :: letters(:)
        interface
            integer(c_size_t) function strlen(s) bind(c)
                import :: c_size_t, c_ptr
                type(c_ptr), value :: s
            end function
        end interface
        integer :: i
        copy = ''
        if (.not. c_associated(text)) return
        call c_f_pointer(text, letters, [strlen(text)])
        copy = repeat(' ', size(letters))
        do i = 1, size(letters)
            copy(i:i) = letters(i)
        end do
    end function
end module
