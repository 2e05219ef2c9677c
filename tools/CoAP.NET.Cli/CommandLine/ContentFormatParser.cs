using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Content-Formats on the command line: a number, a media type, or a short name.</summary>
internal static class ContentFormatParser
{
    private static readonly Dictionary<string, CoapContentFormat> s_shortNames = new(StringComparer.OrdinalIgnoreCase)
    {
        ["text"] = CoapContentFormat.TextPlain,
        ["plain"] = CoapContentFormat.TextPlain,
        ["text/plain"] = CoapContentFormat.TextPlain,
        ["link"] = CoapContentFormat.LinkFormat,
        ["link-format"] = CoapContentFormat.LinkFormat,
        ["xml"] = CoapContentFormat.Xml,
        ["binary"] = CoapContentFormat.OctetStream,
        ["octet-stream"] = CoapContentFormat.OctetStream,
        ["exi"] = CoapContentFormat.Exi,
        ["json"] = CoapContentFormat.Json,
        ["json-patch"] = CoapContentFormat.JsonPatch,
        ["merge-patch"] = CoapContentFormat.MergePatch,
        ["cbor"] = CoapContentFormat.Cbor,
        ["cbor-seq"] = CoapContentFormat.CborSequence,
        ["senml"] = CoapContentFormat.SenmlJson,
        ["senml-json"] = CoapContentFormat.SenmlJson,
        ["senml-cbor"] = CoapContentFormat.SenmlCbor,
        ["sensml-json"] = CoapContentFormat.SensmlJson,
        ["sensml-cbor"] = CoapContentFormat.SensmlCbor,
        ["senml-etch-json"] = CoapContentFormat.SenmlEtchJson,
        ["senml-etch-cbor"] = CoapContentFormat.SenmlEtchCbor,
        ["problem"] = CoapContentFormat.ConciseProblemDetails,
    };

    private static readonly Dictionary<string, CoapContentFormat> s_extensions = new(StringComparer.OrdinalIgnoreCase)
    {
        [".txt"] = CoapContentFormat.TextPlain,
        [".json"] = CoapContentFormat.Json,
        [".cbor"] = CoapContentFormat.Cbor,
        [".xml"] = CoapContentFormat.Xml,
        [".senml"] = CoapContentFormat.SenmlJson,
        [".senmlc"] = CoapContentFormat.SenmlCbor,
        [".css"] = CoapContentFormat.Css,
        [".svg"] = CoapContentFormat.Svg,
        [".png"] = CoapContentFormat.Png,
        [".gif"] = CoapContentFormat.Gif,
        [".jpg"] = CoapContentFormat.Jpeg,
        [".jpeg"] = CoapContentFormat.Jpeg,
    };

    /// <summary>Short names first, then media types, for completion.</summary>
    public static IEnumerable<string> Names =>
        s_shortNames.Keys.Where(name => !name.Contains('/', StringComparison.Ordinal))
            .Concat(CoapContentFormat.Registered.Where(format => format.ContentCoding is null).Select(format => format.MediaType!));

    public static bool TryParse(string text, out CoapContentFormat format)
    {
        if (ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort number))
        {
            format = new CoapContentFormat(number);
            return true;
        }

        return s_shortNames.TryGetValue(text, out format) || CoapContentFormat.TryFromMediaType(text, out format);
    }

    /// <summary>Returns the format for the extension of a file name.</summary>
    public static CoapContentFormat OfFile(string path) =>
        s_extensions.GetValueOrDefault(Path.GetExtension(path), CoapContentFormat.OctetStream);

    public static Option<CoapContentFormat?> Option(string name, string description, params string[] aliases)
    {
        Option<CoapContentFormat?> option = new(name, aliases) { Description = description, HelpName = "FORMAT", CustomParser = Parse };
        option.CompletionSources.Add(_ => Names);
        return option;
    }

    private static CoapContentFormat? Parse(ArgumentResult result)
    {
        string text = result.Tokens[0].Value;
        if (TryParse(text, out CoapContentFormat format))
        {
            return format;
        }

        result.AddError(
            $"'{text}' is not a Content-Format. Give its number, its media type such as application/json, or a name such "
                + $"as {string.Join(", ", s_shortNames.Keys.Where(name => name.Length < 7).Take(8))}.");
        return null;
    }
}
