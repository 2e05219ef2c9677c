using System.Buffers;

namespace CoAP.NET.Transports.Streams;

/// <summary>
/// Cuts the bytes of a connection into frames: it finds the length of the first one, and shows it to the pipeline where it is. If the
/// pipeline keeps a frame, it keeps the memory too. One thread at a time uses it, for one frame at a time.
/// </summary>
internal sealed class FrameSplitter
{
    // The maximum end of a head with the length of its frame (RFC 8323 section 3.2), and more than MeasureFrame needs.
    private const int MaxHead = 16;

    // A block that keeps frames keeps them all: so many of them are copied, so that it does not keep a large buffer for each.
    private const int FramesToCopy = 4096;

    private static readonly CoapDatagramPool s_copies = new(2048);

    [ThreadStatic]
    private static FrameSplitter? t_spare;

    private CoapDatagram _view = CoapDatagram.MakeView();

    // The array of the shown frame; null for none, or for a copy.
    private byte[]? _shown;

    // Whether the array was rented for a frame that was in several pieces.
    private bool _isJoined;
    private int _framesToCopy;

    /// <summary>Returns the splitter of this thread. <see cref="Return"/> follows, unless the pipeline throws.</summary>
    public static FrameSplitter Rent()
    {
        FrameSplitter splitter = t_spare ?? new FrameSplitter();
        t_spare = null;
        return splitter;
    }

    public static void Return(FrameSplitter splitter) => t_spare = splitter;

    /// <summary>Returns the next complete frame. <see cref="TakeBack"/> ends its turn.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="context">Measures the frame.</param>
    /// <param name="input">The bytes. They get the length of the frame (<see cref="FrameBuffer.Needed"/>), or lose it.</param>
    /// <param name="isBroken">Whether the bytes violate a rule: the connection was aborted, and nothing more is processed.</param>
    /// <returns>The frame; null if it is incomplete or there is none.</returns>
    public CoapDatagram? Next(CoapConnection connection, ICoapStreamTransportContext context, FrameBuffer input, out bool isBroken)
    {
        isBroken = false;
        if (input.Length == 0 || input.Length < input.Needed)
        {
            return null;
        }

        ArraySegment<byte> first = input.First;
        Span<byte> head = stackalloc byte[MaxHead];
        long length = context.MeasureFrame(
            connection, first.Count == input.Length || first.Count >= MaxHead ? first : input.CopyTo(head), input.Length);
        if (length <= 0 || length > input.Length)
        {
            isBroken = length < 0;
            input.Needed = Math.Max(length, 0);
            return null;
        }

        CoapDatagram frame = Show(input, first, (int)length);
        input.Needed = 0;
        input.Skip(length);
        frame.Remote = connection.Remote;
        frame.Local = connection.Local;
        frame.Transport = connection.Transport;
        frame.Channel = connection.Channel;
        return frame;
    }

    /// <summary>Ends the turn of the last shown frame.</summary>
    /// <param name="input">The bytes that it was in.</param>
    public void TakeBack(FrameBuffer input)
    {
        if (_shown is not { } shown)
        {
            return;
        }

        bool isJoined = _isJoined;
        _shown = null;
        _isJoined = false;
        if (!_view.TryTakeBack())
        {
            _view = CoapDatagram.MakeView();
            _framesToCopy = FramesToCopy;
            if (!isJoined)
            {
                input.Keep(shown);
            }
        }
        else if (isJoined)
        {
            CoapDatagramPool.OnReturned(shown);
            ArrayPool<byte>.Shared.Return(shown);
        }
    }

    private CoapDatagram Show(FrameBuffer input, in ArraySegment<byte> first, int length)
    {
        if (_framesToCopy > 0)
        {
            _framesToCopy--;
            CoapDatagram copy = length <= s_copies.BufferSize ? s_copies.Rent() : new CoapDatagram(length);
            input.CopyTo(copy.Buffer.AsSpan(0, length));
            copy.Length = length;
            return copy;
        }

        if (first.Count >= length)
        {
            _shown = first.Array!;
            _view.Show(_shown, first.Offset, length);
            return _view;
        }

        _shown = ArrayPool<byte>.Shared.Rent(length);
        _isJoined = true;
        input.CopyTo(_shown.AsSpan(0, length));
        _view.Show(_shown, 0, length);
        return _view;
    }
}
