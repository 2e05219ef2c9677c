using System.Diagnostics;
using System.Globalization;
using CoAP.NET.Cli.Output;
using Spectre.Console;

namespace CoAP.NET.Cli.Serving;

/// <summary>
/// A line on the error stream for each request: who, what, the answer, how large, how long. The blocks of a transfer after its first are no
/// requests of their own here.
/// </summary>
/// <param name="context">The stream and the clock.</param>
/// <param name="isQuiet">Whether nothing is written.</param>
internal sealed class ServeLog(CliContext context, bool isQuiet)
{
    private readonly Lock _gate = new();

    /// <summary>Runs a handler and tells of it. What the file system refuses becomes an answer.</summary>
    public async ValueTask<CoapResult> RunAsync(CoapRequest request, Func<ValueTask<ServeAnswer>> handler)
    {
        long started = context.TimeProvider.GetTimestamp();
        ServeAnswer answer;
        string? reason = null;
        try
        {
            answer = await handler().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is FileNotFoundException or DirectoryNotFoundException)
        {
            answer = new ServeAnswer(CoapResults.NotFound());
        }
        catch (UnauthorizedAccessException exception)
        {
            (answer, reason) = (new ServeAnswer(CoapResults.Status(CoapCode.Forbidden)), exception.Message);
        }
        catch (CoapIncompleteBodyException)
        {
            Write(request, "gave the transfer up", null, started);
            throw;
        }
        catch (IOException exception)
        {
            // The text names paths of this machine, so it stays here.
            (answer, reason) = (new ServeAnswer(CoapResults.Status(CoapCode.InternalServerError)), exception.Message);
        }

        string size = answer.Size is { } bytes ? string.Create(CultureInfo.InvariantCulture, $"  {bytes} B") : "";
        Write(request, answer.Result.Code + size, reason, started, answer.Result.Code);
        return answer.Result;
    }

    private void Write(CoapRequest request, string what, string? reason, long started, CoapCode code = default)
    {
        if (isQuiet || request.Options.Block2 is { Number: > 0 })
        {
            return;
        }

        string method = request.Options.Observe switch
        {
            0 => "OBSERVE",
            1 => "CANCEL",
            _ => request.Method.ToString().ToUpperInvariant(),
        };
        string time = context.TimeProvider.GetLocalNow().ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture);
        string took = string.Create(CultureInfo.InvariantCulture,
            $"{context.TimeProvider.GetElapsedTime(started).TotalMilliseconds:0.0} ms");
        string color = code.IsSuccess ? "green" : "yellow";
        string line = $"[grey]{time}[/] {Escape(request.Peer.ToString())} {method} {Escape(TargetOf(request))}  "
            + $"[{color}]{Escape(what)}[/]  [grey]{took}[/]{(reason is null ? "" : $"  {Escape(reason)}")}";
        lock (_gate)
        {
            try
            {
                context.Error.MarkupLine(line);
            }
            catch (Exception exception) when (exception is IOException or ObjectDisposedException)
            {
                // Nobody reads the log any more; requests are answered all the same.
                Debug.WriteLine(exception.Message);
            }
        }
    }

    // What a proxy was asked for, in either way, and without a password that somebody wrote into it.
    private static string TargetOf(CoapRequest request)
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
        catch (CoapUriException)
        {
            return request.Path;
        }
    }

    private static string Escape(string text) => Markup.Escape(text);
}
