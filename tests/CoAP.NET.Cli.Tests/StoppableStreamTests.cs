namespace CoAP.NET.Cli.Tests;

/// <summary>Output to a reader that has stopped reading.</summary>
public sealed class StoppableStreamTests : IDisposable
{
    private static readonly TimeSpan s_hang = FromMinutes(2);
    private readonly StalledReader _reader = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly VirtualClock _clock = new();
    private readonly StoppableStream _output;

    public StoppableStreamTests() => _output = new StoppableStream(_reader, _clock, _stop.Token);

    public void Dispose()
    {
        _reader.Dispose();
        _stop.Dispose();
    }

    [Fact]
    public async Task One_stop_ends_a_write_whose_reader_stalls_and_every_later_one()
    {
        Task writing = WriteAsync();
        await _reader.Entered.WaitAsync(s_hang);

        await _stop.CancelAsync();
        await _clock.AdvanceUntilAsync(Task.WhenAny(writing), FromSeconds(2));

        await Assert.ThrowsAsync<OperationCanceledException>(() => writing);
        Assert.Throws<OperationCanceledException>(() => _output.Write("y"u8));
    }

    [Fact]
    public async Task A_reader_that_goes_on_gets_what_is_written_around_a_stop()
    {
        Task writing = WriteAsync();
        await _reader.Entered.WaitAsync(s_hang);

        await _stop.CancelAsync();
        _reader.GoOn();
        await writing.WaitAsync(s_hang);
        _output.Write("y"u8);

        Assert.Equal("xy", Encoding.ASCII.GetString(_reader.Bytes));
    }

    [Fact]
    public async Task A_failed_write_is_reported_as_it_is()
    {
        _reader.GoOn();
        await _reader.DisposeAsync();

        Assert.Throws<ObjectDisposedException>(() => _output.Write("x"u8));
    }

    private Task WriteAsync() =>
        Task.Factory.StartNew(() => _output.Write("x"u8), CancellationToken.None, LongRunning, TaskScheduler.Default);

    private sealed class StalledReader : MemoryStream
    {
        private readonly TaskCompletionSource _entered = new(RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _goesOn = new();

        public Task Entered => _entered.Task;

        public byte[] Bytes => ToArray();

        public void GoOn() => _goesOn.Set();

        public override void Write(byte[] buffer, int offset, int count)
        {
            _entered.TrySetResult();
            _goesOn.Wait();
            base.Write(buffer, offset, count);
        }

        public override void Write(ReadOnlySpan<byte> buffer) => Write(buffer.ToArray(), 0, buffer.Length);

        protected override void Dispose(bool disposing)
        {
            _goesOn.Set();
            base.Dispose(disposing);
        }
    }
}
