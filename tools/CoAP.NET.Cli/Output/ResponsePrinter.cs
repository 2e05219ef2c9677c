using System.Globalization;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>Shows responses in the requested style: results on the standard output, everything about them on the error stream.</summary>
/// <param name="context">The streams.</param>
/// <param name="style">The format of payloads.</param>
/// <param name="hasNewline">Whether to add a line feed to each payload.</param>
/// <param name="isWhole">Whether to show all bytes of a binary payload, however many.</param>
internal sealed class ResponsePrinter(CliContext context, PayloadStyle style, bool hasNewline, bool isWhole)
{
    public PayloadStyle Style => style;

    /// <summary>Ends the line of a raw payload that is one of several, unless <c>--newline</c> has ended it.</summary>
    public void EndLine(CoapResponse response)
    {
        if (style == PayloadStyle.Raw && (!hasNewline || response.Payload.IsEmpty))
        {
            context.Out.Writer.WriteLine();
        }
    }

    /// <summary>Shows a response.</summary>
    /// <returns>Its exit code.</returns>
    public int Print(CoapResponse response, ResponseDetails about)
    {
        if (style == PayloadStyle.Json)
        {
            ResponseJson.Write(response, about, context.Out);
        }

        if (response.Code.IsError)
        {
            ErrorAnswer.Write(context, response, about.Uri, proxy: about.Proxy);
        }
        else if (response.Payload.IsEmpty && style != PayloadStyle.Json)
        {
            context.Error.MarkupLine(Markup.Escape(Describe(response, about)));
        }

        if (!response.Payload.IsEmpty && !ErrorAnswer.IsDiagnostic(response) && style != PayloadStyle.Json)
        {
            PrintPayload(response);
        }

        return ExitCodes.Of(response.Code);
    }

    private void PrintPayload(CoapResponse response)
    {
        if (style == PayloadStyle.Raw)
        {
            context.Out.WriteBytes(response.Payload.Span);
            if (hasNewline)
            {
                context.Out.WriteBytes("\n"u8);
            }
        }
        else if (response.Code.IsError && response.TryReadProblem(out CoapProblem? problem))
        {
            // The sentence contains title and detail.
            foreach (string detail in ErrorAnswer.FurtherDetailsOf(problem, response.Code))
            {
                context.Out.MarkupLine(Markup.Escape(detail));
            }
        }
        else
        {
            PrettyPayload.Write(response.Payload, response.ContentFormat, context.Out, context.TimeProvider.GetUtcNow(), isWhole);
        }
    }

    private static string Describe(CoapResponse response, ResponseDetails about)
    {
        if (response.IsNone)
        {
            return "The request is sent and expects no response.";
        }

        string text = response.Code.ToString();
        if (response.Options.Location is { } location)
        {
            text += $"  {location}";
        }

        if (response.Options.ETag is { } etag)
        {
            text += $"  ETag {etag}";
        }

        return about.FilePath is { } path
            ? string.Create(CultureInfo.InvariantCulture, $"{text}  {about.FileLength} B in {path}")
            : text;
    }
}
