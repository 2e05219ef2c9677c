using System.Globalization;
using CoAP.NET.Options;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>Shows responses in the style that was asked for: results on the standard output, everything about them on the error stream.</summary>
/// <param name="context">The streams.</param>
/// <param name="style">How payloads are shown.</param>
/// <param name="hasNewline">Whether each payload ends with a line feed of ours.</param>
internal sealed class ResponsePrinter(CliContext context, PayloadStyle style, bool hasNewline)
{
    public PayloadStyle Style => style;

    /// <summary>Shows a response.</summary>
    /// <returns>The exit code that it leads to.</returns>
    public int Print(CoapResponse response, ResponseFacts about)
    {
        if (style == PayloadStyle.Json)
        {
            ResponseJson.Write(response, about, context.Out);
        }

        bool isDiagnostic = response.Code.IsError && response.ContentFormat is null;
        if (response.Code.IsError)
        {
            string diagnostic = isDiagnostic && !response.Payload.IsEmpty && SafeText.IsText(response.Payload.Span, CoapContentFormat.TextPlain) ? $": {SafeText.LineOf(response.GetText())}" : "";
            Failures.Write(context, $"{about.Uri} answered {response.Code}{diagnostic}", HintFor(response));
        }
        else if (response.Payload.IsEmpty && style != PayloadStyle.Json)
        {
            context.Error.MarkupLine(Markup.Escape(Describe(response, about)));
        }

        if (!response.Payload.IsEmpty && !isDiagnostic && style != PayloadStyle.Json)
        {
            PrintPayload(response);
        }

        return ExitCodes.Of(response.Code);
    }

    /// <summary>Shows the payload alone.</summary>
    public void PrintPayload(CoapResponse response)
    {
        if (style == PayloadStyle.Pretty)
        {
            PrettyPayload.Write(response.Payload, response.ContentFormat, context.Out, context.TimeProvider.GetUtcNow());
        }
        else
        {
            context.Out.Stream.Write(response.Payload.Span);
            if (hasNewline)
            {
                context.Out.Stream.WriteByte((byte)'\n');
            }

            context.Out.Stream.Flush();
        }
    }

    private static string Describe(CoapResponse response, ResponseFacts about)
    {
        if (response.IsNone)
        {
            return "No response was asked for; the request was sent.";
        }

        string text = response.Code.ToString();
        if (response.Options.Location is { } location)
        {
            text += $"  {SafeText.LineOf(location)}";
        }

        if (response.Options.ETag is { } etag)
        {
            text += $"  ETag {Convert.ToHexStringLower(etag.Span)}";
        }

        return about.FilePath is { } path && File.Exists(path) ? string.Create(CultureInfo.InvariantCulture, $"{text}  {new FileInfo(path).Length} B in {path}") : text;
    }

    private static string? HintFor(CoapResponse response) => response.Code.ToString()[..4] switch
    {
        "4.01" => "The server wants to know who asks: coaps+tcp with --cert and --key, perhaps.",
        "4.02" => "The server does not know a critical option; -v shows what was sent.",
        "4.04" => "coap discover lists what the server has.",
        "4.05" => "The resource does not take this method.",
        "4.06" => "The server does not have the format of --accept; leave it out to get what there is.",
        "4.12" => "The resource changed meanwhile: get its ETag anew.",
        "4.13" => response.Options.Size1 is { } size ? $"The server takes {size} B at most." : "The server does not take so much.",
        "4.15" => "The server does not take this --content-format.",
        "4.29" or "5.03" when response.Options.Contains(OptionNumber.MaxAge) => $"Try again in {response.MaxAge.TotalSeconds:0} s.",
        _ => null,
    };
}
