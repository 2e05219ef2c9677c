using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// Reads the input of a <see cref="TcpReceiver"/>. All connections are read into one buffer, so idle ones hold no memory. A connection
/// keeps the buffer, and the loop takes another one, while bytes remain that cannot be handed in yet. Use it only on the thread that runs
/// the loop.
/// </summary>
internal sealed unsafe class TcpInput
{
    private const int ReadSize = 64 * 1024;

    // A few are kept for the next connection that needs one.
    private const int MaxSpares = 16;

    private const int ReadsBeforeClose = 16;

    // Receives discarded input: any number of loops may overwrite it.
    private static readonly byte[] s_discarded = new byte[ReadSize];

    private readonly Stack<FrameBuffer> _spares = new();
    private FrameBuffer _shared = new();

    /// <summary>Returns the bytes of a connection that were read and not handed in.</summary>
    public FrameBuffer Of(EpollWatchedConnection file) => file.Rest ?? _shared;

    /// <summary>Reads once without waiting.</summary>
    /// <param name="file">The connection.</param>
    /// <param name="isFull">Whether there may be more input.</param>
    /// <returns>The number of bytes; 0 at the end; minus the error of the system.</returns>
    public nint Read(EpollWatchedConnection file, out bool isFull)
    {
        FrameBuffer buffer = Of(file);
        Memory<byte> memory = buffer.GetMemory(ReadSize);
        nint count = Receive(file.Connection.Descriptor, memory.Span);
        isFull = count == memory.Length;
        if (count > 0)
        {
            buffer.Advance((int)count);
        }
        else
        {
            buffer.ReleaseCapacity();
        }

        return count;
    }

    /// <summary>Reads and discards input.</summary>
    public static nint ReadNothing(EpollWatchedConnection file, out bool isFull)
    {
        nint count = Receive(file.Connection.Descriptor, s_discarded);
        isFull = count == s_discarded.Length;
        return count;
    }

    /// <summary>Reads remaining input, which would make the kernel reset the connection on closing.</summary>
    public static void Drain(int descriptor)
    {
        for (int i = 0; i < ReadsBeforeClose && Receive(descriptor, s_discarded) > 0; i++)
        {
        }
    }

    /// <summary>Leaves unprocessed bytes to the connection until its next turn.</summary>
    /// <returns>False when there are none, or no memory: then hand them in now.</returns>
    public bool TrySetAside(EpollWatchedConnection file)
    {
        FrameBuffer buffer = Of(file);
        buffer.Trim();
        return buffer.Length > 0 && TryLeave(file, buffer);
    }

    /// <summary>Leaves unprocessed bytes to the connection: a partial frame, or all input after a pause or for the next turn.</summary>
    /// <param name="file">The connection.</param>
    /// <param name="isHeld">Whether the bytes may contain complete frames, which are handed in later.</param>
    /// <returns>Whether the caller must schedule that.</returns>
    public bool KeepRest(EpollWatchedConnection file, bool isHeld)
    {
        LinuxTcpConnection connection = file.Connection;
        FrameBuffer buffer = Of(file);
        if (buffer.Length == 0 || connection.IsClosing || connection.Sender.IsEnding || file.IsDiscarding || file.HasEnded)
        {
            Drop(file);
            return false;
        }

        buffer.Trim();
        if (!TryLeave(file, buffer))
        {
            Drop(file);
            connection.Close(file.Charge.Refusal());
            return false;
        }

        if (!isHeld)
        {
            connection.ShowPartial(Math.Max(buffer.Needed, buffer.Length), buffer.Length);
            return false;
        }

        // Possibly complete frames; no timeout applies to those.
        connection.ShowPartial(0, 0);
        return connection.DeferFrames();
    }

    /// <summary>Returns the memory of a connection's bytes.</summary>
    public void Drop(EpollWatchedConnection file)
    {
        Of(file).Release();
        file.Connection.ShowPartial(0, 0);
        if (file.Rest is not { } rest)
        {
            return;
        }

        file.Rest = null;
        file.Charge.Release();
        if (_spares.Count < MaxSpares)
        {
            _spares.Push(rest);
        }
    }

    // False when there is no memory for it.
    private bool TryLeave(EpollWatchedConnection file, FrameBuffer buffer)
    {
        if (!file.Charge.TrySetFrames(buffer.Charge))
        {
            return false;
        }

        if (file.Rest is null)
        {
            file.Rest = buffer;
            _shared = _spares.TryPop(out FrameBuffer? spare) ? spare : new FrameBuffer();
        }

        return true;
    }

    private static nint Receive(int descriptor, Span<byte> room)
    {
        fixed (byte* at = room)
        {
            return LibC.Receive(descriptor, at, (nuint)room.Length, LibC.DontWait);
        }
    }
}
