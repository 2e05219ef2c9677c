using System.Diagnostics;
using System.Globalization;
using CoAP.NET.Cli.Output;
using CoAP.NET.Files;
using CoAP.NET.Transports.Tcp;
using Spectre.Console;

namespace CoAP.NET.Cli.Serving;

/// <summary>
/// Logs a line on the error stream for each request: peer, method and path, answer, size, duration. The later blocks of a transfer are not
/// requests of their own here: the line of a download comes at its end, and tells an interrupted one.
/// </summary>
/// <param name="context">The stream and the clock.</param>
/// <param name="isQuiet">Whether to log nothing.</param>
internal sealed class ServeLog(CliContext context, bool isQuiet)
{
    // A client tries again after this time.
    private static readonly TimeSpan s_shortage = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();

    /// <summary>Runs a handler and logs it. A file system error becomes an answer.</summary>
    public async ValueTask<CoapResult> RunAsync(CoapRequestContext request, Func<ValueTask<LoggedResult>> handler)
    {
        long started = context.TimeProvider.GetTimestamp();
        LoggedResult answer;
        string? reason = null;
        try
        {
            answer = await handler().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            answer = new LoggedResult(CoapResults.NotFound());
        }
        catch (UnauthorizedAccessException exception)
        {
            (answer, reason) = (new LoggedResult(CoapResults.Status(CoapCode.Forbidden)), exception.Message);
        }
        catch (CoapException exception) when (exception.Error == CoapError.BodyIncomplete)
        {
            Write(HeadOf(request), "abandoned the transfer", TookSince(started));
            throw;
        }
        catch (IOException exception) when (!DescriptorShortage.IsCauseOf(exception))
        {
            // The text contains local paths, so the client does not get it.
            (answer, reason) = (new LoggedResult(CoapResults.Status(CoapCode.InternalServerError)), exception.Message);
        }
        catch (IOException)
        {
            (answer, reason) = (new LoggedResult(CoapResults.ServiceUnavailable(s_shortage)), string.Create(CultureInfo.InvariantCulture,
                $"no file descriptor is left; this process may have {FileDescriptorHeadroom.Limit} (ulimit -n)"));
        }

        string? head = HeadOf(request);
        CoapCode code = answer.Result.Code;

        // A client that cancels an observation does not want the rest of the answer.
        if (answer.File is { } file && request.Options.Observe != 1)
        {
            long length = answer.Size ?? 0;
            file.OnEnd(read =>
            {
                if (read < length)
                {
                    Write(head, code + string.Create(CultureInfo.InvariantCulture, $"  interrupted after {read} of {length} B"), null);
                }
                else
                {
                    Write(head, code + SizeOf(length), TookSince(started), isSuccess: true);
                }
            });
        }
        else
        {
            Write(head, code + (answer.Size is { } bytes ? SizeOf(bytes) : ""), TookSince(started), reason, code.IsSuccess);
        }

        return answer.Result;
    }

    // Peer, method and path; null for a request without a line.
    private string? HeadOf(CoapRequestContext request)
    {
        if (isQuiet || request.Options.Block2 is { Number: > 0 })
        {
            return null;
        }

        string method = request.Options.Observe switch
        {
            0 => "OBSERVE",
            1 => "CANCEL",
            _ => request.Method.ToString().ToUpperInvariant(),
        };
        return $"{Escape(request.Peer.ToString())} {method} {Escape(TargetOf(request))}";
    }

    private string TookSince(long started) => string.Create(CultureInfo.InvariantCulture,
        $"{context.TimeProvider.GetElapsedTime(started).TotalMilliseconds:0.0} ms");

    private static string SizeOf(long bytes) => string.Create(CultureInfo.InvariantCulture, $"  {bytes} B");

    private void Write(string? head, string what, string? took, string? reason = null, bool isSuccess = false)
    {
        if (head is null)
        {
            return;
        }

        string time = context.TimeProvider.GetLocalNow().ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture);
        string line = $"[grey]{time}[/] {head}  [{(isSuccess ? "green" : "yellow")}]{Escape(what)}[/]"
            + $"{(took is null ? "" : $"  [grey]{took}[/]")}{(reason is null ? "" : $"  {Escape(reason)}")}";
        lock (_gate)
        {
            try
            {
                context.Error.MarkupLine(line);
            }
            catch (Exception exception) when (exception is IOException or ObjectDisposedException)
            {
                // The log has no reader any more; the server continues nevertheless.
                Debug.WriteLine(exception.Message);
            }
        }
    }

    // The target of a proxy request, in either form, and without a password in it.
    private static string TargetOf(CoapRequestContext request)
    {
        if (request.Options.ProxyUri is null && request.Options.ProxyScheme is null)
        {
            return request.Path;
        }

        try
        {
            string uri = CoapUri.ComposeRequestUri(request.Message, request.Peer.Scheme, request.Peer.LocalAddress);
            string origin = CoapUri.OriginOf(uri);
            int at = origin.LastIndexOf('@');
            return at < 0 ? uri : $"{origin[..(origin.IndexOf("://", StringComparison.Ordinal) + 3)]}{uri[(at + 1)..]}";
        }
        catch (CoapFormatException)
        {
            return request.Path;
        }
    }

    private static string Escape(string text) => Markup.Escape(text);
}
