using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>
/// Buffers the response of an ASP.NET Core handler until it is complete. One per request; not thread-safe, like every HTTP response.
/// </summary>
/// <param name="maxSize">The maximum number of bytes of the body.</param>
internal sealed class RecordedResponse(int maxSize) : IHttpResponseFeature, IHttpResponseBodyFeature
{
    private readonly ArrayBufferWriter<byte> _body = new();
    private readonly Stack<(Func<object, Task> Callback, object State)> _starting = [];
    private readonly Stack<(Func<object, Task> Callback, object State)> _completed = [];
    private RecordingStream? _stream;
    private PipeWriter? _writer;

    public int StatusCode { get; set; } = StatusCodes.Status200OK;

    public string? ReasonPhrase { get; set; }

    public IHeaderDictionary Headers { get; set; } = new HeaderDictionary();

    [Obsolete("As in the interface.")]
    public Stream Body
    {
        get => Stream;
        set => throw new NotSupportedException("Set IHttpResponseBodyFeature, as HttpResponse.Body does.");
    }

    public bool HasStarted { get; private set; }

    public Stream Stream => _stream ??= new RecordingStream(this);

    public PipeWriter Writer => _writer ??= PipeWriter.Create(Stream, new StreamPipeWriterOptions(leaveOpen: true));

    /// <summary>The written bytes.</summary>
    public ReadOnlyMemory<byte> Written => _body.WrittenMemory;

    /// <summary>The reason why the response cannot be sent; null if it can.</summary>
    public UnsendableOverCoapReason? Fault { get; private set; }

    public void OnStarting(Func<object, Task> callback, object state)
    {
        if (HasStarted)
        {
            throw new InvalidOperationException("OnStarting cannot be set because the response has already started.");
        }

        _starting.Push((callback, state));
    }

    public void OnCompleted(Func<object, Task> callback, object state) => _completed.Push((callback, state));

    public void DisableBuffering()
    {
        // A CoAP response is sent as a whole.
    }

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default) =>
        SendFileFallback.SendFileAsync(Stream, path, offset, count, cancellationToken);

    public async Task StartAsync(CancellationToken cancellationToken = default)
    {
        if (HasStarted)
        {
            return;
        }

        while (_starting.TryPop(out (Func<object, Task> Callback, object State) next))
        {
            await next.Callback(next.State).ConfigureAwait(false);
        }

        HasStarted = true;
        if (EventStreamMediaType.Is(Headers.ContentType))
        {
            Fail(UnsendableOverCoapReason.NeverEnds);
        }

        if (Headers is HeaderDictionary headers)
        {
            headers.IsReadOnly = true;
        }
    }

    public async Task CompleteAsync()
    {
        if (_writer is { } writer)
        {
            _writer = null;
            await writer.CompleteAsync().ConfigureAwait(false);
        }

        await StartAsync().ConfigureAwait(false);
    }

    /// <summary>Runs the callbacks for the end of the response.</summary>
    public async Task EndAsync()
    {
        while (_completed.TryPop(out (Func<object, Task> Callback, object State) next))
        {
            await next.Callback(next.State).ConfigureAwait(false);
        }
    }

    public void Append(ReadOnlySpan<byte> bytes)
    {
        if (Fault is null && bytes.Length > maxSize - _body.WrittenCount)
        {
            Fail(UnsendableOverCoapReason.TooLarge);
        }

        ThrowIfFaulted();
        _body.Write(bytes);
    }

    private void Fail(UnsendableOverCoapReason fault)
    {
        Fault ??= fault;
        ThrowIfFaulted();
    }

    // Stops the handler; the fault determines the response.
    private void ThrowIfFaulted()
    {
        if (Fault is { } fault)
        {
            throw new IOException(fault == UnsendableOverCoapReason.TooLarge
                ? $"The response has more than {maxSize} bytes (CoapEndpointMappingOptions.MaxResponseSize)."
                : "CoAP does not support responses that never end.");
        }
    }
}
