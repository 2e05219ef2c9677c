using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Text.Json;

namespace CoAP.NET.Load.Workers;

/// <summary>
/// A conversation in lines of JSON, with a limit for every read and a timeout for every wait. After any
/// <see cref="DistributedRunException"/> it only allows <see cref="RefuseAsync"/> and disposal.
/// </summary>
/// <param name="stream">The stream; disposed with it.</param>
/// <param name="time">The clock of all its limits.</param>
internal sealed class WorkerConnection(Stream stream, TimeProvider time) : IAsyncDisposable
{
    public const int Version = 1;

    /// <summary>Maximum length of a line in bytes, except for results.</summary>
    public const int LineLimit = 64 * 1024;

    /// <summary>Maximum length of a line with a result, in bytes.</summary>
    public const int ResultLimit = 16 * 1024 * 1024;

    /// <summary>The timeout of the other side's end.</summary>
    public static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(5);

    private const int DrainLimit = 2 * ResultLimit;

    private static readonly TimeSpan SendLimit = TimeSpan.FromSeconds(10);

    private readonly PipeReader _reader = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: 64 * 1024));
    private readonly SemaphoreSlim _writing = new(1);
    private long _searched;

    /// <summary>Reads a line; null if the other side has ended the conversation.</summary>
    /// <param name="limit">Maximum length of a result, in bytes; other lines have <see cref="LineLimit"/>.</param>
    /// <param name="within">The timeout.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="DistributedRunException">The line took too long, was too long or invalid, or the connection broke.</exception>
    public async Task<WorkerMessage?> ReadAsync(int limit, TimeSpan within, CancellationToken cancellationToken)
    {
        using CancellationTokenSource expired = new(within, time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(expired.Token, cancellationToken);
        try
        {
            return await ReadLineAsync(limit, either.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.TimeOut, $"it sent nothing for {within.TotalSeconds:0.#} s");
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.Lost, "the connection broke: " + exception.Message, exception);
        }
    }

    /// <summary>Sends a line.</summary>
    /// <exception cref="DistributedRunException">The line is too long, sending takes more than 10 s, or the connection broke.</exception>
    public async Task SendAsync(WorkerMessage message, CancellationToken cancellationToken)
    {
        byte[] json = JsonSerializer.SerializeToUtf8Bytes(message, WorkerMessageJson.Default.WorkerMessage);
        if (json.Length > LimitOf(message))
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.Protocol,
                $"{NameOf(message)} of {json.Length:N0} bytes is longer than the limit of {LimitOf(message):N0}");
        }

        using CancellationTokenSource expired = new(SendLimit, time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(expired.Token, cancellationToken);
        try
        {
            await _writing.WaitAsync(either.Token);
            try
            {
                await stream.WriteAsync((byte[])[.. json, (byte)'\n'], either.Token);
                await stream.FlushAsync(either.Token);
            }
            finally
            {
                _writing.Release();
            }
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.TimeOut, $"it read nothing for {SendLimit.TotalSeconds:0} s");
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.Lost, "the connection broke: " + exception.Message, exception);
        }
    }

    /// <summary>Sends an error as the last line, and ignores a failure to send.</summary>
    public async Task RefuseAsync(string kind, string text)
    {
        try
        {
            await SendAsync(new ErrorMessage(kind, text), CancellationToken.None);
            await EndAsync();
        }
        catch (DistributedRunException)
        {
            // The other side is gone; this side knows that it refused.
        }
    }

    /// <summary>
    /// Ends the sending direction, and reads until the other side ends too. Closing with unread bytes resets a connection, which loses the
    /// last line before the peer reads it.
    /// </summary>
    public async Task EndAsync()
    {
        using CancellationTokenSource expired = new(EndLimit, time);
        try
        {
            Finish();
            long read = 0;
            while (read < DrainLimit)
            {
                ReadResult rest = await _reader.ReadAsync(expired.Token);
                read += rest.Buffer.Length;
                _reader.AdvanceTo(rest.Buffer.End);
                if (rest.IsCompleted)
                {
                    return;
                }
            }
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException or OperationCanceledException)
        {
            // The conversation ends in either case.
        }
    }

    /// <summary>Ends the sending direction.</summary>
    public void Finish()
    {
        try
        {
            if (stream is NetworkStream network)
            {
                network.Socket.Shutdown(SocketShutdown.Send);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // It has already ended.
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _reader.CompleteAsync();
        await stream.DisposeAsync();
        _writing.Dispose();
    }

    /// <summary>Returns the readable name of a message.</summary>
    public static string NameOf(WorkerMessage? message) =>
        message?.GetType().Name.Replace("Message", string.Empty, StringComparison.Ordinal).ToLowerInvariant() ?? "end of the connection";

    private static int LimitOf(WorkerMessage message) => message is ResultMessage ? ResultLimit : LineLimit;

    private async Task<WorkerMessage?> ReadLineAsync(int limit, CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult read = await _reader.ReadAsync(cancellationToken);
            ReadOnlySequence<byte> buffer = read.Buffer;

            // Does not repeat the search over earlier bytes, because a long line would then cost the square of its length.
            if (buffer.Slice(_searched).PositionOf((byte)'\n') is { } end)
            {
                ReadOnlySequence<byte> line = buffer.Slice(0, end);
                try
                {
                    return line.Length <= limit ? Parse(line) : throw TooLong(limit);
                }
                finally
                {
                    _searched = 0;
                    _reader.AdvanceTo(buffer.GetPosition(1, end));
                }
            }

            bool tooLong = buffer.Length > limit;
            if (tooLong || read.IsCompleted)
            {
                _searched = 0;
                _reader.AdvanceTo(buffer.End);
                if (tooLong)
                {
                    throw TooLong(limit);
                }

                return buffer.IsEmpty ? null
                    : throw new DistributedRunException(WorkerProtocolErrorCodes.Lost, "the connection ended in the middle of a line");
            }

            _searched = buffer.Length;
            _reader.AdvanceTo(buffer.Start, buffer.End);
        }
    }

    private static WorkerMessage Parse(in ReadOnlySequence<byte> line)
    {
        try
        {
            Utf8JsonReader json = new(line);
            WorkerMessage message = JsonSerializer.Deserialize(ref json, WorkerMessageJson.Default.WorkerMessage)
                ?? throw new JsonException("null is not a message");
            if (json.Read())
            {
                throw new JsonException("more than one message on a line");
            }

            return line.Length <= LimitOf(message) ? message : throw TooLong(LimitOf(message));
        }
        catch (Exception exception)
            when (exception is JsonException or NotSupportedException or FormatException or InvalidOperationException)
        {
            // NotSupportedException: an object without a type.
            throw new DistributedRunException(
                WorkerProtocolErrorCodes.Protocol, "it sent a line that is not a message of this protocol", exception);
        }
    }

    private static DistributedRunException TooLong(int limit) =>
        new(WorkerProtocolErrorCodes.Protocol, $"it sent a line of more than {limit:N0} bytes");
}
