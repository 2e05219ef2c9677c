using System.Buffers;
using System.Net.Security;
using System.Threading.Tasks.Sources;

namespace CoAP.NET.Speed.Loops;

/// <summary>
/// The client's side of TLS on a connection of <see cref="StreamLoop"/>: it turns plain bytes into those of the wire and back, and never
/// waits. The certificate of the server is not checked, as its check would be the load's processor time and not the server's.
/// </summary>
internal sealed class TlsLink : IDisposable
{
    private readonly Wire _wire = new();
    private readonly SslStream _tls;
    private readonly Task _handshake;
    private readonly byte[] _buffer = new byte[4096];
    private readonly ArrayBufferWriter<byte> _early = new();
    private readonly ArrayBufferWriter<byte> _plain = new();
    private ValueTask<int> _read;
    private bool _isReady;

    /// <summary>Begins the handshake: <see cref="TakeOutput"/> has its first flight.</summary>
    /// <param name="alpn">What is spoken over it.</param>
    public TlsLink(SslApplicationProtocol alpn)
    {
        _tls = new SslStream(_wire);
        _handshake = _tls.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            ApplicationProtocols = [alpn],
#pragma warning disable CA5359 // it is the server that this program has started
            RemoteCertificateValidationCallback = (_, _, _, _) => true,
#pragma warning restore CA5359
        });
    }

    /// <summary>Whether the handshake failed, or the server ended the connection.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Plain bytes are to be sent; those of before the end of the handshake leave with it.</summary>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        if (_isReady)
        {
            _tls.Write(bytes);
        }
        else
        {
            _early.Write(bytes);
        }
    }

    /// <summary>What is to be sent as it is; valid until the next call of anything.</summary>
    public ReadOnlySpan<byte> TakeOutput() => _wire.TakeOutput();

    /// <summary>Bytes came.</summary>
    /// <returns>What they say; valid until the next call.</returns>
    public ReadOnlySpan<byte> Feed(ReadOnlySpan<byte> bytes)
    {
        _plain.ResetWrittenCount();
        _wire.Feed(bytes);
        if (!_isReady)
        {
            if (!_handshake.IsCompleted)
            {
                return default;
            }

            if (!_handshake.IsCompletedSuccessfully)
            {
                HasEnded = true;
                return default;
            }

            _isReady = true;
            Read();
            if (_early.WrittenCount > 0)
            {
                _tls.Write(_early.WrittenSpan);
            }
        }

        while (_read.IsCompleted)
        {
            int count = _read.IsCompletedSuccessfully ? _read.Result : 0;
            HasEnded = count == 0;
            if (HasEnded)
            {
                break;
            }

            _plain.Write(_buffer.AsSpan(0, count));
            Read();
        }

        return _plain.WrittenSpan;
    }

    public void Dispose() => _tls.Dispose();

#pragma warning disable CA2012 // it is looked at until it is completed, and its result is taken once
    private void Read() => _read = _tls.ReadAsync(_buffer);
#pragma warning restore CA2012

    // What comes is fed to it, what leaves is taken from it. A read that waits goes on in the call that feeds it.
    private sealed class Wire : Stream, IValueTaskSource<int>
    {
        private readonly ArrayBufferWriter<byte> _in = new();
        private readonly ArrayBufferWriter<byte> _out = new();
        private ManualResetValueTaskSourceCore<int> _source;
        private Memory<byte> _waiting;
        private bool _isWaiting;
        private int _taken;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public void Feed(ReadOnlySpan<byte> bytes)
        {
            _in.Write(bytes);
            if (_isWaiting)
            {
                _isWaiting = false;
                _source.SetResult(Take(_waiting.Span));
            }
        }

        public ReadOnlySpan<byte> TakeOutput()
        {
            ReadOnlySpan<byte> bytes = _out.WrittenSpan;
            _out.ResetWrittenCount();
            return bytes;
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (_in.WrittenCount > _taken)
            {
                return ValueTask.FromResult(Take(buffer.Span));
            }

            _source.Reset();
            (_waiting, _isWaiting) = (buffer, true);
            return new ValueTask<int>(this, _source.Version);
        }

        public override void Write(ReadOnlySpan<byte> buffer) => _out.Write(buffer);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            _out.Write(buffer.Span);
            return default;
        }

        public override void Flush()
        {
        }

        public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public int GetResult(short token) => _source.GetResult(token);

        public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _source.OnCompleted(continuation, state, token, flags);

        private int Take(Span<byte> to)
        {
            int count = Math.Min(to.Length, _in.WrittenCount - _taken);
            _in.WrittenSpan.Slice(_taken, count).CopyTo(to);
            _taken += count;
            if (_taken == _in.WrittenCount)
            {
                _in.ResetWrittenCount();
                _taken = 0;
            }

            return count;
        }
    }
}
