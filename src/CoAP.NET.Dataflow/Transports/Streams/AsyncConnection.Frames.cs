using System.Buffers;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

// From the bytes that were read to the frames that are handed in.
internal sealed partial class AsyncConnection
{
    private const int MaxHead = 16;

    // Shows one frame after another of an array of the input; a thread needs one.
    [ThreadStatic]
    private static CoapDatagram? t_view;

    private void CutFrames()
    {
        ReadOnlySequence<byte> bytes = _input.Bytes;
        long partial = 0;
        bool isStopped = false;
        while (!bytes.IsEmpty && !isStopped)
        {
            if (!TryBeginFrame())
            {
                isStopped = true;
                break;
            }

            long length = 0;
            try
            {
                length = Measure(bytes);
                if (length > 0 && length <= bytes.Length)
                {
                    _frames++;
                    HandIn(bytes.Slice(0, length));
                    bytes = bytes.Slice(length);
                    continue;
                }
            }
            finally
            {
                EndFrame();
            }

            if (length < 0)
            {
                // Aborted: the last frame is on its way, and nothing more is looked at.
                bytes = bytes.Slice(bytes.End);
                break;
            }

            partial = length == 0 ? bytes.Length : length;
            break;
        }

        // Bytes that wait because we do not read count as well as those of a frame that is not there yet.
        _hasUncut = isStopped;
        _input.Skip(_input.Length - bytes.Length);
        _input.Trim();
        if (!isStopped && _input.Length > 0)
        {
            // Whoever waits for the rest of a frame waits with room for it.
            _input.MakeRoom();
        }

        Volatile.Write(ref _partialReceived, partial == 0 ? 0 : _input.Length);
        Volatile.Write(ref _partial, partial);
        if (!_charge.TrySetFrames(_input.Charge))
        {
            End(_charge.Refusal(), lingers: false);
        }
    }

    // The frame is the message, which is measured when it is whole, or has become too long.
    private long Measure(in ReadOnlySequence<byte> bytes)
    {
        if (_link.HasMessages)
        {
            if (bytes.Length > _context.Limits.MaxStreamMessageSize)
            {
                _link.OnTooLarge();
            }
            else if (!_link.IsMessageWhole)
            {
                return 0;
            }
        }

        ReadOnlySpan<byte> first = bytes.FirstSpan;
        if (first.Length >= MaxHead || bytes.IsSingleSegment)
        {
            return _context.MeasureFrame(this, first, bytes.Length);
        }

        Span<byte> head = stackalloc byte[MaxHead];
        int length = (int)Math.Min(MaxHead, bytes.Length);
        bytes.Slice(0, length).CopyTo(head);
        return _context.MeasureFrame(this, head[..length], bytes.Length);
    }

    private void HandIn(in ReadOnlySequence<byte> bytes)
    {
        int length = (int)bytes.Length;
        byte[]? joined = null;
        if (!bytes.IsSingleSegment || !MemoryMarshal.TryGetArray(bytes.First, out ArraySegment<byte> place))
        {
            joined = ArrayPool<byte>.Shared.Rent(length);
            bytes.CopyTo(joined);
            place = new ArraySegment<byte>(joined, 0, length);
        }

        CoapDatagram frame = t_view ?? CoapDatagram.MakeView();
        t_view = null;
        frame.Show(place.Array!, place.Offset, length);
        frame.Remote = Remote;
        frame.Local = Local;
        frame.Transport = Transport;
        frame.Channel = Channel;
        StageTime.Forget();
        _context.Receive(frame);
        if (!frame.TryTakeBack())
        {
            // Somebody keeps it, and the array it shows.
            if (joined is null)
            {
                _input.Keep(place.Array!);
            }

            return;
        }

        t_view = frame;
        if (joined is not null)
        {
            CoapDatagramPool.Returned?.Invoke(joined);
            ArrayPool<byte>.Shared.Return(joined);
        }
    }

    private void Refuse(string violation)
    {
        _hasUncut = !TryBeginFrame();
        if (!_hasUncut)
        {
            try
            {
                _context.Refuse(this, violation);
            }
            finally
            {
                EndFrame();
            }
        }
    }

    // The peer's end was ours: it is told so, as far as it can be.
    private async ValueTask EndOutputAsync()
    {
        try
        {
            await _link.EndOutputAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // it has ended either way
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }

    private bool TryBeginFrame()
    {
        lock (_gate)
        {
            if (!MayRead)
            {
                return false;
            }

            _turn = Turn.InStages;
            return true;
        }
    }

    private void EndFrame()
    {
        bool tells;
        lock (_gate)
        {
            _turn = Turn.Cutting;
            tells = TryTell();
        }

        if (tells)
        {
            Tell();
        }
    }
}
