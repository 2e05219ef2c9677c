using System.IO.Pipelines;

namespace CoAP.NET.Transports;

/// <summary>A pair of pipes that somebody else fills and empties, such as a web server's connection.</summary>
internal sealed class PipeLink(IDuplexPipe pipe, Action? abort) : ConnectionLink
{
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Stream _input = pipe.Input.AsStream(leaveOpen: true);
    private readonly Stream _output = pipe.Output.AsStream(leaveOpen: true);

    /// <summary>Ends when nobody uses the pipes any more.</summary>
    public Task Released => _released.Task;

    public override async ValueTask WaitAsync() => await _input.ReadAsync(Memory<byte>.Empty, CancellationToken.None).ConfigureAwait(false);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer) => _input.ReadAsync(buffer, CancellationToken.None);

    public override ValueTask<int> DiscardAsync(Memory<byte> buffer) => _input.ReadAsync(buffer, CancellationToken.None);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage) => _output.WriteAsync(bytes, CancellationToken.None);

    public override ValueTask EndOutputAsync() => pipe.Output.CompleteAsync();

    public override void Close()
    {
        abort?.Invoke();
        pipe.Input.CancelPendingRead();
        pipe.Output.CancelPendingFlush();
    }

    public override void Release()
    {
        pipe.Input.Complete();
        pipe.Output.Complete();
        _released.TrySetResult();
    }
}
