using System.Buffers;
using System.Text;
using System.Text.Json.Nodes;
using System.Threading.Channels;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace CoAP.NET.Explorer.Pages;

/// <summary>
/// Sends events to a page: JSON objects, one per line, as they happen. If the page reads too slowly, the oldest waiting events are dropped
/// and counted, except those that must not be lost. Thread-safe.
/// </summary>
internal sealed class PageEventWriter
{
    private const int MaxWaiting = 2048;

    private readonly HttpContext _context;
    private readonly Lock _gate = new();
    private readonly Queue<(byte[] Line, bool IsKept)> _waiting = new();
    private readonly Channel<bool> _wake =
        Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private int _dropped;
    private int _droppable;
    private bool _isComplete;

    public PageEventWriter(HttpContext context) => _context = context;

    /// <summary>Adds an event.</summary>
    /// <param name="json">Its object.</param>
    /// <param name="isKept">Whether it must not be lost.</param>
    public void Add(JsonObject json, bool isKept = true)
    {
        byte[] line = Encoding.UTF8.GetBytes(json.ToJsonString() + "\n");
        lock (_gate)
        {
            if (_isComplete)
            {
                return;
            }

            if (!isKept && _droppable == MaxWaiting)
            {
                DropOldest();
            }

            _waiting.Enqueue((line, isKept));
            _droppable += isKept ? 0 : 1;
        }

        _wake.Writer.TryWrite(true);
    }

    /// <summary>Ends the events; the waiting ones are sent.</summary>
    public void Complete()
    {
        lock (_gate)
        {
            _isComplete = true;
        }

        _wake.Writer.TryComplete();
    }

    /// <summary>Sends events until they are complete, or the page is closed.</summary>
    /// <exception cref="OperationCanceledException">The page was closed.</exception>
    public async Task SendAsync()
    {
        HttpResponse response = _context.Response;
        response.ContentType = "application/x-ndjson";
        response.Headers.CacheControl = "no-store";
        _context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        await response.StartAsync(_context.RequestAborted).ConfigureAwait(false);
        bool isOpen = true;
        while (isOpen)
        {
            isOpen = await _wake.Reader.WaitToReadAsync(_context.RequestAborted).ConfigureAwait(false);
            _ = _wake.Reader.TryRead(out _);
            byte[] lines = Take();
            if (lines.Length > 0)
            {
                await response.Body.WriteAsync(lines, _context.RequestAborted).ConfigureAwait(false);
                await response.Body.FlushAsync(_context.RequestAborted).ConfigureAwait(false);
            }
        }
    }

    private byte[] Take()
    {
        lock (_gate)
        {
            ArrayBufferWriter<byte> lines = new();
            if (_dropped > 0)
            {
                JsonObject dropped = new() { ["kind"] = "dropped", ["count"] = _dropped };
                lines.Write(Encoding.UTF8.GetBytes(dropped.ToJsonString() + "\n"));
                _dropped = 0;
            }

            while (_waiting.TryDequeue(out (byte[] Line, bool IsKept) one))
            {
                lines.Write(one.Line);
            }

            _droppable = 0;
            return lines.WrittenSpan.ToArray();
        }
    }

    // Rare: the queue is rotated once, which keeps the order of the events that must stay.
    private void DropOldest()
    {
        bool isDropped = false;
        for (int left = _waiting.Count; left > 0; left--)
        {
            (byte[] Line, bool IsKept) one = _waiting.Dequeue();
            if (!isDropped && !one.IsKept)
            {
                isDropped = true;
                _dropped++;
                _droppable--;
            }
            else
            {
                _waiting.Enqueue(one);
            }
        }
    }
}
