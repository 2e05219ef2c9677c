using System.Buffers;

namespace CoAP.NET.Transports;

/// <summary>
/// Where the input of one connection gets its memory from: arrays of the shared pool that go back there, but for those of which the pipeline kept a frame. Larger ones are
/// only taken when as much of a frame has come already.
/// </summary>
internal sealed class FrameMemory : MemoryPool<byte>
{
    /// <summary>The size of an array of a connection that has nothing unfinished.</summary>
    public const int SmallSize = 4096;

    private const int LargeSize = 64 * 1024;

    // Those that are in use, mostly one. Touched by the connection's reader only.
    private Block? _used;
    private Block? _spare;

    public override int MaxBufferSize => LargeSize;

    /// <summary>How many bytes of an unfinished frame there are.</summary>
    public long Held { get; set; }

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        int size = Math.Max(minBufferSize, (int)Math.Clamp(Held, SmallSize, LargeSize));
        Block block = _spare ?? new Block(this);
        _spare = null;
        block.Array = ArrayPool<byte>.Shared.Rent(size);
        block.Next = _used;
        _used = block;
        return block;
    }

    /// <summary>Somebody keeps a frame in this array: it is left to him and the garbage collector.</summary>
    public void Keep(byte[] array)
    {
        for (Block? block = _used; block is not null; block = block.Next)
        {
            if (block.Array == array)
            {
                block.IsKept = true;
                return;
            }
        }
    }

    protected override void Dispose(bool disposing)
    {
    }

    private void Return(Block block)
    {
        if (!Unlink(block))
        {
            return;
        }

        byte[] array = block.Array;
        if (!block.IsKept)
        {
            CoapDatagramPool.Returned?.Invoke(array);
            ArrayPool<byte>.Shared.Return(array);
        }

        block.Array = [];
        block.IsKept = false;
        _spare = block;
    }

    private bool Unlink(Block block)
    {
        if (_used == block)
        {
            _used = block.Next;
            return true;
        }

        for (Block? before = _used; before is not null; before = before.Next)
        {
            if (before.Next == block)
            {
                before.Next = block.Next;
                return true;
            }
        }

        return false;
    }

    private sealed class Block(FrameMemory owner) : IMemoryOwner<byte>
    {
        public byte[] Array { get; set; } = [];

        public Block? Next { get; set; }

        public bool IsKept { get; set; }

        public Memory<byte> Memory => Array;

        public void Dispose() => owner.Return(this);
    }
}
