using System.Buffers;

namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The bytes of a connection that were read and not handed in: a partial frame, or waiting frames. They are in pieces of the shared array
/// pool, which are rented as bytes arrive and never for an announced length. A connection is charged for the size of its pieces, not the
/// number of bytes in them. Used by one thread at a time.
/// </summary>
internal sealed class FrameBuffer
{
    /// <summary>The size of a piece for little data.</summary>
    public const int SmallPiece = 4096;

    /// <summary>The size of further pieces.</summary>
    public const int LargePiece = 16 * 1024;

    /// <summary>So many bytes of a partial frame are free, because every connection may have some. They fit in one small piece.</summary>
    private const int FreeBytes = 512;

    // From this length on pieces are large: the waste at the end of the last one is a fraction of the received bytes.
    private const int LargeFrom = 4 * SmallPiece;

    // A piece with less room counts as full.
    private const int MinRoom = 256;

    private const int MaxSpares = 2;

    private Piece? _first;
    private Piece? _last;

    // The oldest piece that was not returned: the bytes of pieces before the first one were consumed.
    private Piece? _oldest;

    // The start of the bytes in the first piece and their end in the last one.
    private int _start;
    private int _end;

    private Piece? _spares;
    private int _spareCount;

    /// <summary>The number of bytes.</summary>
    public long Length { get; private set; }

    public long Capacity { get; private set; }

    /// <summary>The length of the frame at the beginning, of which more bytes are needed; 0 while it is unknown.</summary>
    public long Needed { get; set; }

    /// <summary>The bytes charged to the endpoint's memory for partial frames. Right after <see cref="Trim"/>.</summary>
    public int Charge => Length <= FreeBytes && Capacity <= SmallPiece ? 0 : (int)Capacity;

    /// <summary>All bytes. Valid until <see cref="Trim"/> or <see cref="Release"/>.</summary>
    public ReadOnlySequence<byte> Bytes => Length == 0 ? default : new ReadOnlySequence<byte>(_first!, _start, _last!, _end);

    /// <summary>The bytes of the first piece.</summary>
    public ArraySegment<byte> First => Length == 0
        ? []
        : new ArraySegment<byte>(_first!.Array, _start, (_first == _last ? _end : _first.Memory.Length) - _start);

    /// <summary>Returns room for the next read; <see cref="Advance"/> or <see cref="ReleaseCapacity"/> follows.</summary>
    /// <param name="firstPiece">The size of the piece if the buffer is empty.</param>
    public Memory<byte> GetMemory(int firstPiece = SmallPiece)
    {
        if (_last is not { } last || last.Array.Length - _end < MinRoom)
        {
            last = Append(firstPiece);
        }

        return last.Array.AsMemory(_end);
    }

    /// <summary>Copies bytes from the beginning.</summary>
    /// <returns>The copied bytes: the whole destination unless there are fewer.</returns>
    public ReadOnlySpan<byte> CopyTo(Span<byte> destination)
    {
        int length = (int)Math.Min(destination.Length, Length);
        Bytes.Slice(0, length).CopyTo(destination);
        return destination[..length];
    }

    /// <summary>
    /// Rents the room for the next read now, so that <see cref="Charge"/> includes it while the connection waits for the rest of a frame.
    /// </summary>
    public void MakeRoom() => _ = GetMemory();

    /// <summary>Returns room that was not used. Right after <see cref="Trim"/>.</summary>
    public void ReleaseCapacity()
    {
        if (_end > 0 || _last is not { } last)
        {
            return;
        }

        Piece? before = _first == last ? null : _first;
        while (before is not null && before.Follower != last)
        {
            before = before.Follower;
        }

        if (before is null)
        {
            _first = _oldest = null;
        }
        else
        {
            before.Follower = null;
        }

        _last = before;
        _end = before?.Reopen() ?? 0;
        Return(last);
    }

    /// <summary>Records how many bytes were read into <see cref="GetMemory"/>.</summary>
    public void Advance(int count)
    {
        _end += count;
        Length += count;
    }

    /// <summary>Appends bytes.</summary>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            Piece piece = _last is { } last && _end < last.Array.Length ? last : Append(SmallPiece);
            int count = Math.Min(bytes.Length, piece.Array.Length - _end);
            bytes[..count].CopyTo(piece.Array.AsSpan(_end));
            Advance(count);
            bytes = bytes[count..];
        }
    }

    /// <summary>Consumes bytes. Their memory stays unchanged until <see cref="Trim"/> or <see cref="Release"/>.</summary>
    public void Skip(long count)
    {
        Length -= count;
        while (_first != _last && count >= _first!.Memory.Length - _start)
        {
            // Returned later: a view may still show a frame in it.
            count -= _first.Memory.Length - _start;
            _first = _first.Follower;
            _start = 0;
        }

        _start += (int)count;
    }

    /// <summary>Leaves this array to the garbage collector, because other code keeps a frame in it.</summary>
    public void Keep(byte[] array)
    {
        for (Piece? piece = _oldest; piece is not null; piece = piece.Follower)
        {
            if (piece.Array == array)
            {
                piece.IsKept = true;
                return;
            }
        }
    }

    /// <summary>Returns consumed pieces. A rest that takes twice the memory that it needs is moved.</summary>
    public void Trim()
    {
        if (Length == 0)
        {
            Release();
            return;
        }

        ReturnUntil(_first);
        if (Capacity >= 2 * CapacityFor(Length + MinRoom))
        {
            Move();
        }
    }

    /// <summary>Returns everything.</summary>
    public void Release()
    {
        ReturnUntil(null);
        _first = _last = null;
        _start = _end = 0;
        Length = Needed = 0;
    }

    // The memory of so many bytes that were written into an empty buffer.
    private static long CapacityFor(long length) =>
        length <= LargeFrom ? RoundUp(length, SmallPiece) : LargeFrom + RoundUp(length - LargeFrom, LargePiece);

    private static long RoundUp(long length, int piece) => (length + piece - 1) / piece * piece;

    private void Move()
    {
        ReadOnlySequence<byte> bytes = Bytes;
        Piece? old = _oldest;
        long oldCapacity = Capacity;
        _oldest = _first = _last = null;
        _start = _end = 0;
        Length = Capacity = 0;
        foreach (ReadOnlyMemory<byte> part in bytes)
        {
            Write(part.Span);
        }

        Capacity += oldCapacity;
        while (old is { } piece)
        {
            old = piece.Follower;
            Return(piece);
        }
    }

    private Piece Append(int firstPiece)
    {
        Piece piece = Rent(_last is null ? firstPiece : Capacity < LargeFrom ? SmallPiece : LargePiece);
        if (_last is { } last)
        {
            last.EndAt(_end);
            piece.Follow(last);
        }
        else
        {
            _oldest = _first = piece;
            _start = 0;
        }

        _last = piece;
        _end = 0;
        return piece;
    }

    private Piece Rent(int size)
    {
        Piece piece = _spares ?? new Piece();
        if (_spares is not null)
        {
            _spares = piece.Follower;
            _spareCount--;
        }

        piece.Begin(ArrayPool<byte>.Shared.Rent(size));
        Capacity += piece.Array.Length;
        return piece;
    }

    private void ReturnUntil(Piece? end)
    {
        while (_oldest is { } piece && piece != end)
        {
            _oldest = piece.Follower;
            Return(piece);
        }
    }

    private void Return(Piece piece)
    {
        byte[] array = piece.Array;
        Capacity -= array.Length;
        if (!piece.IsKept)
        {
            CoapDatagramPool.OnReturned(array);
            ArrayPool<byte>.Shared.Return(array);
        }

        piece.Begin([]);
        if (_spareCount < MaxSpares)
        {
            piece.Follower = _spares;
            _spares = piece;
            _spareCount++;
        }
    }

    /// <summary>A pooled array as a segment of a sequence.</summary>
    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public byte[] Array { get; private set; } = [];

        public bool IsKept { get; set; }

        public Piece? Follower
        {
            get;
            set
            {
                field = value;
                Next = value;
            }
        }

        public void Begin(byte[] array)
        {
            Array = array;
            Memory = array;
            RunningIndex = 0;
            IsKept = false;
            Follower = null;
        }

        public void EndAt(int length) => Memory = Array.AsMemory(0, length);

        /// <summary>Continues to append after the existing bytes.</summary>
        /// <returns>The number of existing bytes.</returns>
        public int Reopen()
        {
            int length = Memory.Length;
            Memory = Array;
            return length;
        }

        public void Follow(Piece last)
        {
            RunningIndex = last.RunningIndex + last.Memory.Length;
            last.Follower = this;
        }
    }
}
