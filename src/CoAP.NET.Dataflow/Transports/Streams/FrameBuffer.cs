using System.Buffers;

namespace CoAP.NET.Transports;

/// <summary>
/// The bytes of a connection that were read and not handed in: a part of a frame, or frames that wait. They lie in pieces of the shared
/// array pool, which are taken as bytes come and never for what a length says. What a connection is charged for is the size of its pieces,
/// not the number of bytes in them. Used by one thread at a time.
/// </summary>
internal sealed class FrameBuffer
{
    /// <summary>The size of a piece while little is there.</summary>
    public const int SmallPiece = 4096;

    /// <summary>The size of further pieces.</summary>
    public const int LargePiece = 16 * 1024;

    /// <summary>So many bytes of an unfinished frame are free, as every connection may have some. They lie in one small piece.</summary>
    private const int FreeBytes = 512;

    // From this length on pieces are large: what is lost at the end of the last one is a part of what came.
    private const int LargeFrom = 4 * SmallPiece;

    // A piece with less room than this is full.
    private const int MinRoom = 256;

    private const int MaxSpares = 2;

    private Piece? _first;
    private Piece? _last;

    // The first piece that was not given back: those before the first one were taken out.
    private Piece? _oldest;

    // Where the bytes begin in the first piece and end in the last one.
    private int _start;
    private int _end;

    private Piece? _spares;
    private int _spareCount;

    /// <summary>How many bytes are there.</summary>
    public long Length { get; private set; }

    /// <summary>The size of all pieces.</summary>
    public long Capacity { get; private set; }

    /// <summary>How much of the endpoint's memory for unfinished frames this takes, in bytes. Right after <see cref="Trim"/>.</summary>
    public int Charge => Length <= FreeBytes && Capacity <= SmallPiece ? 0 : (int)Capacity;

    /// <summary>All that is there. Valid until <see cref="Trim"/> or <see cref="Release"/>.</summary>
    public ReadOnlySequence<byte> Bytes => Length == 0 ? default : new ReadOnlySequence<byte>(_first!, _start, _last!, _end);

    /// <summary>What <see cref="Charge"/> is after so many bytes were written into an empty buffer.</summary>
    public static int ChargeOf(long length) => length switch
    {
        <= FreeBytes => 0,
        <= LargeFrom => (int)RoundUp(length, SmallPiece),
        _ => LargeFrom + (int)RoundUp(length - LargeFrom, LargePiece),
    };

    /// <summary>Room for what is read next; <see cref="Advance"/> follows.</summary>
    public Memory<byte> GetMemory()
    {
        if (_last is not { } last || last.Array.Length - _end < MinRoom)
        {
            last = Append();
        }

        return last.Array.AsMemory(_end);
    }

    /// <summary>
    /// Takes the room for the next read now, so that it is part of <see cref="Charge"/>: whoever waits for the rest of a frame waits with
    /// it.
    /// </summary>
    public void MakeRoom() => _ = GetMemory();

    /// <summary>Gives back room that nothing was read into. Right after <see cref="Trim"/>.</summary>
    public void GiveRoomBack()
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

    /// <summary>Says how much was read into <see cref="GetMemory"/>.</summary>
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
            Piece piece = _last is { } last && _end < last.Array.Length ? last : Append();
            int count = Math.Min(bytes.Length, piece.Array.Length - _end);
            bytes[..count].CopyTo(piece.Array.AsSpan(_end));
            Advance(count);
            bytes = bytes[count..];
        }
    }

    /// <summary>Takes bytes out. Their memory stays as it is until <see cref="Trim"/> or <see cref="Release"/>.</summary>
    public void Skip(long count)
    {
        Length -= count;
        while (_first != _last && count >= _first!.Memory.Length - _start)
        {
            // Given back later: a frame in it may be shown still.
            count -= _first.Memory.Length - _start;
            _first = _first.Follower;
            _start = 0;
        }

        _start += (int)count;
    }

    /// <summary>Somebody keeps a frame in this array: it is left to the garbage collector.</summary>
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

    /// <summary>Gives back the pieces whose bytes were taken out. A little that is left in a large piece is moved to a small one.</summary>
    public void Trim()
    {
        if (Length == 0)
        {
            Release();
            return;
        }

        ReturnUntil(_first);
        if (Capacity > SmallPiece && Length + MinRoom <= SmallPiece)
        {
            Piece small = Rent(SmallPiece);
            Bytes.CopyTo(small.Array);
            ReturnUntil(null);
            _oldest = _first = _last = small;
            _start = 0;
            _end = (int)Length;
        }
    }

    /// <summary>Gives everything back.</summary>
    public void Release()
    {
        ReturnUntil(null);
        _first = _last = null;
        _start = _end = 0;
        Length = 0;
    }

    private static long RoundUp(long length, int piece) => (length + piece - 1) / piece * piece;

    private Piece Append()
    {
        Piece piece = Rent(Capacity < LargeFrom ? SmallPiece : LargePiece);
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

    /// <summary>An array of the pool, as a part of a sequence.</summary>
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

        /// <summary>Takes more behind what is there.</summary>
        /// <returns>How much is there.</returns>
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
