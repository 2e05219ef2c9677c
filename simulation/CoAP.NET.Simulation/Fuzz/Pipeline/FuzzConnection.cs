using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>A peer's end of a connection that an endpoint has accepted.</summary>
internal sealed class FuzzConnection
{
    private readonly DuplexPipe _pipe;
    private readonly ReferenceMessage _reference = new();
    private readonly List<byte> _left = [];

    public FuzzConnection(CoapEndpoint endpoint, ushort port)
    {
        (_pipe, DuplexPipe theirs) = DuplexPipe.Make();
        Ended = endpoint.AcceptStreamAsync(theirs,
            new CoapAcceptedConnectionInfo { Remote = new IPEndPoint(0x0a02_00c0, port), Local = new IPEndPoint(0x0102_00c0, 5683) });
    }

    /// <summary>Ends when the endpoint has let go of it.</summary>
    public Task Ended { get; }

    public void Send(ReadOnlySpan<byte> bytes)
    {
        _pipe.Output.Write(bytes);
        ValueTask<FlushResult> flushed = _pipe.Output.FlushAsync();
        if (flushed.IsCompleted)
        {
            // A reader that is gone takes nothing more, which is no error of whoever writes.
            _ = flushed.Result;
        }
    }

    /// <summary>The frames that came, each checked to be one.</summary>
    public List<byte[]> Take()
    {
        while (_pipe.Input.TryRead(out ReadResult result))
        {
            foreach (ReadOnlyMemory<byte> part in result.Buffer)
            {
                _left.AddRange(part.Span);
            }

            _pipe.Input.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted || result.Buffer.IsEmpty)
            {
                break;
            }
        }

        List<byte[]> frames = [];
        byte[] bytes = [.. _left];
        int at = 0;
        while (at < bytes.Length)
        {
            bool? isRead = _reference.ReadFrame(bytes.AsSpan(at));
            if (isRead is null)
            {
                break;
            }

            if (isRead == false)
            {
                throw new FuzzFailureException("sent", $"{Convert.ToHexStringLower(bytes.AsSpan(at))} was sent, which is no frame.");
            }

            frames.Add(bytes[at..(at + (int)_reference.End)]);
            at += (int)_reference.End;
        }

        _left.RemoveRange(0, at);
        return frames;
    }

    public void Close()
    {
        _pipe.Output.Complete();
        _pipe.Input.Complete();
    }
}
