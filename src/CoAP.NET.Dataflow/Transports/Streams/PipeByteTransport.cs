using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Transports.Streams;

/// <summary>A pair of pipes that other code fills and empties, such as a web server's connection.</summary>
internal sealed class PipeByteTransport(IDuplexPipe pipe, Action? abort) : ConnectionByteTransport
{
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Stream _input = pipe.Input.AsStream(leaveOpen: true);
    private readonly Stream _output = pipe.Output.AsStream(leaveOpen: true);

    // Each side ended in order: the owner of the pipes handles the rest.
    private volatile bool _hasInputEnded;
    private volatile bool _hasOutputEnded;

    /// <summary>Completes when the pipes are unused.</summary>
    public Task Released => _released.Task;

    public override ValueTask<int> WaitAsync() => _input.ReadAsync(Memory<byte>.Empty, CancellationToken.None);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer)
    {
        ValueTask<int> read = _input.ReadAsync(buffer, CancellationToken.None);
        return read.IsCompletedSuccessfully ? ValueTask.FromResult(Take(read.Result)) : TakeAsync(read);
    }

    public override ValueTask<int> DiscardAsync(Memory<byte> buffer) => ReadAsync(buffer);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage) => _output.WriteAsync(bytes, CancellationToken.None);

    public override async ValueTask EndOutputAsync()
    {
        await pipe.Output.CompleteAsync().ConfigureAwait(false);
        _hasOutputEnded = true;
    }

    public override void Close()
    {
        if (!_hasInputEnded || !_hasOutputEnded)
        {
            Quietly(abort);
        }

        // Several parties may close a connection: pipes over a stream throw once they are complete.
        Quietly(pipe.Input.CancelPendingRead);
        Quietly(pipe.Output.CancelPendingFlush);
    }

    public override void Release()
    {
        Quietly(() => pipe.Input.Complete());
        Quietly(() => pipe.Output.Complete());
        _released.TrySetResult();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> TakeAsync(ValueTask<int> read) => Take(await read.ConfigureAwait(false));

    private int Take(int count)
    {
        _hasInputEnded |= count == 0;
        return count;
    }
}
