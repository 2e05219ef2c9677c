using System.Globalization;
using System.Text;
using System.Text.Json;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// Writes the request as C#, as a command line of <c>coap</c>, and as one of libcoap's <c>coap-client</c>. Words in capitals replace the
/// secrets.
/// </summary>
/// <param name="asked">The request of the page.</param>
/// <param name="uri">The URI.</param>
/// <param name="payload">The payload; null for none.</param>
/// <param name="isFile">Whether it is a file, whose name is unknown.</param>
internal sealed class RequestSnippetGenerator(EditorRequest asked, CoapUri uri, byte[]? payload, bool isFile)
{
    private static readonly UTF8Encoding s_strict = new(false, throwOnInvalidBytes: true);

    private bool HasKey => uri.Scheme == "coaps";

    private CoapContentFormat? Format => FormatOf(OptionNumber.ContentFormat);

    private IEnumerable<EditorOption> Others =>
        asked.Options.Where(static option => option.Number is not (OptionNumber.ContentFormat or OptionNumber.Accept));

    private string? Text
    {
        get
        {
            try
            {
                return payload is null || isFile ? null : s_strict.GetString(payload);
            }
            catch (DecoderFallbackException)
            {
                return null;
            }
        }
    }

    public string ToCSharp()
    {
        StringBuilder code = new("using CoAP.NET;\n");
        code.Append(HasKey ? "using CoAP.NET.Dtls;\n\n" : "\n");
        if (HasKey)
        {
            code.Append("await using CoapClient client = new(o => o.UsePsk(CoapPskCredential.Parse(\"IDENTITY:KEY\")));\n");
        }
        else
        {
            code.Append("await using CoapClient client = new();\n");
        }

        List<string> properties = [];
        Property(!asked.Confirmable, "Confirmable = false");
        Property(FormatOf(OptionNumber.Accept) is not null, $"Accept = {Name(FormatOf(OptionNumber.Accept))}");
        Property(asked.BlockSize is not null, string.Create(CultureInfo.InvariantCulture, $"BlockSize = {asked.BlockSize}"));
        Property(asked.TimeoutSeconds is not null,
            string.Create(CultureInfo.InvariantCulture, $"Timeout = TimeSpan.FromSeconds({asked.TimeoutSeconds})"));
        string format = Format is null ? "" : $", {Name(Format)}";
        Property(isFile, $"Content = CoapContent.Stream(File.OpenRead(\"FILE\"){format})");
        Property(payload is not null && !isFile, Text is { } text
            ? $"Content = CoapContent.Text({Quoted(text)}{format})"
            : $"Content = CoapContent.Binary(Convert.FromHexString(\"{Convert.ToHexString(payload ?? [])}\"){format})");
        string initializer = properties.Count > 0 ? $"\n{{\n    {string.Join(",\n    ", properties)},\n}}" : "";
        code.Append(CultureInfo.InvariantCulture,
            $"CoapRequest request = new(CoapMethod.{ExplorerRequestFactory.MethodOf(asked.Method)}, {Quoted(uri.ToString())}){initializer};\n");
        foreach (EditorOption option in Others)
        {
            code.Append(CultureInfo.InvariantCulture,
                $"request.Options.Add({option.Number}, Convert.FromHexString(\"{HexOf(option)}\"));\n");
        }

        code.Append("CoapResponse response = await client.SendAsync(request);\n");
        return code.Append("Console.WriteLine($\"{response.Code} {response.GetText()}\");\n").ToString();

        void Property(bool isSet, string text)
        {
            if (isSet)
            {
                properties.Add(text);
            }
        }
    }

    /// <summary>Returns a command line of the tool.</summary>
    public string ToTool()
    {
#pragma warning disable CA1308 // commands are lower-case
        List<string> words = ["coap", asked.Method.ToLowerInvariant(), Shell(uri.ToString())];
#pragma warning restore CA1308
        Add(!asked.Confirmable, "--non");
        Add(FormatOf(OptionNumber.Accept) is not null, $"--accept {Number(OptionNumber.Accept)}");
        Add(Format is not null, $"--content-format {Number(OptionNumber.ContentFormat)}");
        foreach (EditorOption option in Others)
        {
            Add(true, string.Create(
                CultureInfo.InvariantCulture,
                    $"--option {option.Number}=0x{Convert.ToHexStringLower(ExplorerRequestFactory.ValueOf(option))}"));
        }

        Add(asked.BlockSize is not null, string.Create(CultureInfo.InvariantCulture, $"--block-size {asked.BlockSize}"));
        Add(asked.TimeoutSeconds is not null, string.Create(CultureInfo.InvariantCulture, $"--timeout {asked.TimeoutSeconds}s"));
        Add(isFile, "--file FILE");
        Add(payload is not null && !isFile, Text is { } text
            ? $"--payload {Shell(text)}" : $"--hex {Convert.ToHexStringLower(payload ?? [])}");
        Add(HasKey, "--psk IDENTITY:KEY");
        return string.Join(' ', words);

        void Add(bool isSet, string text)
        {
            if (isSet)
            {
                words.Add(text);
            }
        }
    }

    /// <summary>Returns a command line of libcoap's client.</summary>
    public string ToLibcoap()
    {
        List<string> words = ["coap-client"];
#pragma warning disable CA1308 // its method names are lower-case
        Add(!asked.Method.Equals("GET", StringComparison.OrdinalIgnoreCase), $"-m {asked.Method.ToLowerInvariant()}");
#pragma warning restore CA1308
        Add(!asked.Confirmable, "-N");
        Add(FormatOf(OptionNumber.Accept) is not null, $"-A {Number(OptionNumber.Accept)}");
        Add(Format is not null, $"-t {Number(OptionNumber.ContentFormat)}");
        foreach (EditorOption option in Others)
        {
            Add(true, string.Create(
                CultureInfo.InvariantCulture, $"-O {option.Number},0x{Convert.ToHexStringLower(ExplorerRequestFactory.ValueOf(option))}"));
        }

        Add(asked.BlockSize is not null, string.Create(CultureInfo.InvariantCulture, $"-b {asked.BlockSize}"));
        Add(asked.TimeoutSeconds is not null,
            string.Create(CultureInfo.InvariantCulture, $"-B {Math.Ceiling(asked.TimeoutSeconds ?? 0)}"));
        Add(isFile, "-f FILE");
        Add(payload is not null && !isFile && Text is not null, $"-e {Shell(Text ?? "")}");
        Add(payload is not null && !isFile && Text is null, "-f -");
        Add(HasKey, "-u IDENTITY -k KEY");
        Add(true, Shell(uri.ToString()));
        string command = string.Join(' ', words);
        return payload is not null && !isFile && Text is null
            ? $"printf '{string.Concat(payload.Select(Octal))}' | {command}"
            : command;

        void Add(bool isSet, string text)
        {
            if (isSet)
            {
                words.Add(text);
            }
        }
    }

    private static string Octal(byte value) => "\\" + Convert.ToString(value, 8).PadLeft(3, '0');

    private static string HexOf(EditorOption option) => Convert.ToHexString(ExplorerRequestFactory.ValueOf(option));

    // Quotes for a POSIX shell; only the quote itself needs an escape within single quotes.
    private static string Shell(string text) => "'" + text.Replace("'", "'\\''", StringComparison.Ordinal) + "'";

    // The escapes of JSON are valid in C#, too.
    private static string Quoted(string text) => "\"" + JsonEncodedText.Encode(text).ToString() + "\"";

    private static string Name(CoapContentFormat? format) => format == CoapContentFormat.Json ? "CoapContentFormat.Json"
        : format == CoapContentFormat.Cbor ? "CoapContentFormat.Cbor"
        : format == CoapContentFormat.TextPlain ? "CoapContentFormat.TextPlain"
        : string.Create(CultureInfo.InvariantCulture, $"(CoapContentFormat){format?.Value}");

    private string? Number(int number) => asked.Options.FirstOrDefault(option => option.Number == number)?.Value;

    private CoapContentFormat? FormatOf(int number) => ExplorerRequestFactory.FormatOf(asked, number);
}
