using System.Text;

namespace CoAP.NET.Cli.Tests;

/// <summary>Keeps what is written, and tells when a text has come. Thread-safe.</summary>
internal sealed class WatchedStream : MemoryStream
{
    private readonly List<(string Text, TaskCompletionSource Seen)> _awaited = [];
    private readonly Lock _gate = new();

    public override void Write(byte[] buffer, int offset, int count)
    {
        lock (_gate)
        {
            base.Write(buffer, offset, count);
            Look();
        }
    }

    // For derived classes the base would come back here by way of the other one.
    public override void Write(ReadOnlySpan<byte> buffer) => Write(buffer.ToArray(), 0, buffer.Length);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Write(buffer.Span);
        return ValueTask.CompletedTask;
    }

    public override byte[] ToArray()
    {
        lock (_gate)
        {
            return base.ToArray();
        }
    }

    public Task WhenAsync(string text)
    {
        lock (_gate)
        {
            TaskCompletionSource seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
            _awaited.Add((text, seen));
            Look();
            return seen.Task.WaitAsync(TimeSpan.FromMinutes(2));
        }
    }

    private void Look()
    {
        if (_awaited.Count > 0)
        {
            string all = Encoding.UTF8.GetString(base.ToArray());
            _awaited.RemoveAll(awaited => all.Contains(awaited.Text, StringComparison.Ordinal) && awaited.Seen.TrySetResult());
        }
    }
}
