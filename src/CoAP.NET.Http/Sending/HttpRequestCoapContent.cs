using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Http.Sending;

/// <summary>
/// The body of an HTTP request as the content of a CoAP request: a small body is in memory and can be sent again; a larger one is read
/// while it is sent.
/// </summary>
internal sealed class HttpRequestCoapContent : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private Pipe? _pipe;
    private Task _copying = Task.CompletedTask;

    private HttpRequestCoapContent()
    {
    }

    public CoapContent? Content { get; private set; }

    public static async Task<HttpRequestCoapContent> OpenAsync(
        HttpContent? content, CoapContentFormat? format, int bufferLimit, CancellationToken cancellationToken)
    {
        HttpRequestCoapContent body = new();
        if (content is null || content.Headers.ContentLength == 0)
        {
            return body;
        }

        try
        {
            await body.ReadAsync(content, format, bufferLimit, cancellationToken).ConfigureAwait(false);
            return body;
        }
        catch
        {
            await body.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        if (_pipe is not null)
        {
            await _pipe.Reader.CompleteAsync().ConfigureAwait(false);
        }

        await _copying.ConfigureAwait(false);
        _stop.Dispose();
    }

    private async Task ReadAsync(HttpContent content, CoapContentFormat? format, int bufferLimit, CancellationToken cancellationToken)
    {
        long? length = content.Headers.ContentLength;
        if (length <= bufferLimit)
        {
            Content = new CoapContent(await content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false), format);
            return;
        }

        _pipe = new Pipe(new PipeOptions(
            pauseWriterThreshold: bufferLimit + 1L, resumeWriterThreshold: (bufferLimit / 2) + 1L, useSynchronizationContext: false));
        _copying = CopyAsync(content, _pipe.Writer, _stop.Token);
        if (length is null)
        {
            ReadResult result = await _pipe.Reader.ReadAtLeastAsync(bufferLimit + 1, cancellationToken).ConfigureAwait(false);
            if (result.IsCompleted)
            {
                byte[] all = result.Buffer.ToArray();
                _pipe.Reader.AdvanceTo(result.Buffer.End);
                Content = all.Length == 0 ? null : new CoapContent(all, format);
                return;
            }

            _pipe.Reader.AdvanceTo(result.Buffer.Start);
        }

        Content = CoapContent.Stream(_pipe.Reader.AsStream(leaveOpen: true), format, length);
    }

    private static async Task CopyAsync(HttpContent content, PipeWriter writer, CancellationToken cancellationToken)
    {
        Exception? failure = null;
        try
        {
            await content.CopyToAsync(writer.AsStream(leaveOpen: true), cancellationToken).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the reader of the body gets every failure
        catch (Exception exception)
#pragma warning restore CA1031
        {
            failure = exception;
        }

        await writer.CompleteAsync(failure).ConfigureAwait(false);
    }
}
