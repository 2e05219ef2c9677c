using System.Net.Security;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>OpenSSL crashes the process when a connection shuts down while another thread decrypts on it.</summary>
public sealed class TlsShutdownTests
{
    private readonly BlockingSocket _wire = new();
    private readonly TlsInnerStream _records;
    private readonly BlockingSslStream _tls;

    public TlsShutdownTests()
    {
        _records = new TlsInnerStream(_wire);
        _tls = new BlockingSslStream(_records);
    }

    [Fact]
    public async Task A_connection_shuts_down_while_its_reader_waits_for_the_socket()
    {
        ValueTask<int> read = _records.ReadAsync(_tls, new byte[10]);

        await _records.ShutdownAsync(_tls);

        Assert.Equal(1, _tls.Shutdowns);
        Assert.False(read.IsCompleted);
    }

    [Fact]
    public async Task A_connection_does_not_shut_down_while_its_reader_decrypts()
    {
        Task<int> read = _records.ReadAsync(_tls, new byte[10]).AsTask();
        _wire.Received.SetResult(1);
        await _tls.Decrypting.Task;

        Task shutdown = _records.ShutdownAsync(_tls);
        Assert.Equal(0, _tls.Shutdowns);

        _tls.Decrypted.SetResult();
        await shutdown;
        Assert.Equal(1, _tls.Shutdowns);
        Assert.Equal(1, await read);
    }

    [Fact]
    public async Task A_reader_decrypts_only_after_the_connection_has_shut_down()
    {
        Task<int> read = _records.ReadAsync(_tls, new byte[10]).AsTask();
        _tls.Decrypted.SetResult();
        _tls.OnShutdown = () =>
        {
            _wire.Received.SetResult(1);
            Assert.False(_tls.Decrypting.Task.IsCompleted);
        };

        await _records.ShutdownAsync(_tls);

        Assert.Equal(1, await read);
    }

    [Fact]
    public async Task A_read_that_begins_while_the_connection_shuts_down_waits_for_that()
    {
        Task<int>? read = null;
        _tls.Decrypted.SetResult();
        _wire.Received.SetResult(1);
        _tls.OnShutdown = () =>
        {
            read = _records.ReadAsync(_tls, new byte[10]).AsTask();
            Assert.False(_tls.Decrypting.Task.IsCompleted);
        };

        await _records.ShutdownAsync(_tls);

        Assert.Equal(1, await read!);
    }

    [Fact]
    public async Task A_failed_read_does_not_delay_the_shutdown()
    {
        _tls.Fault = new InvalidOperationException("It cannot be read.");
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await _records.ReadAsync(_tls, new byte[10]));

        await _records.ShutdownAsync(_tls);

        Assert.Equal(1, _tls.Shutdowns);
    }

    /// <summary>A socket whose bytes come when the test says so.</summary>
    private sealed class BlockingSocket : ConnectedTcpSocket
    {
        // Its continuations run within the call, as those of a receive loop do.
        public TaskCompletionSource<int> Received { get; } = new();

        public override CoapAddress LocalAddress => default;

        public override ValueTask<int> WaitAsync(CancellationToken cancellationToken) => new(Received.Task);

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken) => new(Received.Task);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken) => default;

        public override void EndOutput()
        {
        }

        public override void Close()
        {
        }
    }

    /// <summary>Stands for the platform's TLS, and decrypts for as long as the test says.</summary>
    private sealed class BlockingSslStream(Stream below) : SslStream(below)
    {
        public int Shutdowns { get; private set; }

        public Action? OnShutdown { get; set; }

        public Exception? Fault { get; set; }

        public TaskCompletionSource Decrypting { get; } = new(RunContinuationsAsynchronously);

        public TaskCompletionSource Decrypted { get; } = new(RunContinuationsAsynchronously);

        public override Task ShutdownAsync()
        {
            Shutdowns++;
            OnShutdown?.Invoke();
            return Task.CompletedTask;
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            Fault is null ? DecryptAsync(buffer, cancellationToken) : throw Fault;

        private async ValueTask<int> DecryptAsync(Memory<byte> buffer, CancellationToken cancellationToken)
        {
            int count = await InnerStream.ReadAsync(buffer, cancellationToken);
            Decrypting.SetResult();
            await Decrypted.Task;
            return count;
        }
    }
}
