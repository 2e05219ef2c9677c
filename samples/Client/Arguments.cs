using System.Globalization;
using CoAP.NET;

namespace Client;

/// <summary>What the command line says.</summary>
internal sealed class Arguments
{
    public const string Usage = """
        usage: Client get|put|post|delete|fetch|patch|ipatch URI [TEXT] [OPTION]...
               Client observe URI [TEXT] [--count N] [OPTION]...     until Ctrl+C or N notifications; with TEXT by FETCH
               Client discover URI [FILTER]
               Client ping URI                 a round trip: CoAP Ping by UDP, Ping and Pong on a connection
        URI: coap://, coaps://, coap+tcp:// or coaps+tcp://
          --file F     send the file F         --format T   its Content-Format: a number or media type
          --out F      write the payload to F  --accept T   the Content-Format that is wanted
          --block N    block size: 16 to 1024  --timeout S  seconds for the whole request
          --non        Non-confirmable
          --psk ID:KEY coaps: who this is, and the key that the server knows; text, or 0x and hexadecimal digits
          --ca F       coaps, coaps+tcp: trust servers of this authority (PEM) instead of those that the system trusts
          --cert F     coaps, coaps+tcp: show this certificate (PEM), with --key F when its key is in another file
          --insecure   coaps, coaps+tcp: trust anybody
        """;

    private static readonly string[] s_verbs = ["get", "put", "post", "delete", "fetch", "patch", "ipatch", "observe", "discover", "ping"];

    private readonly Dictionary<string, string> _options = [];

    public string Verb { get; private set; } = "";

    public string Uri { get; private set; } = "";

    public string? Text { get; private set; }

    public string? Out => _options.GetValueOrDefault("--out");

    public int Count => _options.TryGetValue("--count", out string? count) ? Number(count) : int.MaxValue;

    public Security Security => new(
        _options.GetValueOrDefault("--ca"), _options.GetValueOrDefault("--cert"), _options.GetValueOrDefault("--key"),
        _options.GetValueOrDefault("--psk"), _options.ContainsKey("--insecure"));

    public static bool TryParse(string[] args, out Arguments arguments, out string error)
    {
        arguments = new Arguments();
        List<string> words = [];
        for (int i = 0; i < args.Length; i++)
        {
            if (!args[i].StartsWith("--", StringComparison.Ordinal))
            {
                words.Add(args[i]);
            }
            else if (args[i] is "--non" or "--insecure")
            {
                arguments._options[args[i]] = "";
            }
            else if (args[i] is "--file" or "--out" or "--block" or "--accept" or "--format" or "--timeout" or "--count" or "--ca"
                or "--cert" or "--key" or "--psk" && i + 1 < args.Length)
            {
                arguments._options[args[i]] = args[++i];
            }
            else
            {
                error = $"{args[i]} is not known or lacks its value.";
                return false;
            }
        }

        error = words.Count is < 2 or > 3 ? "A method and a URI are needed." : s_verbs.Contains(words[0]) ? ""
            : $"'{words[0]}' is not known.";
        (arguments.Verb, arguments.Uri, arguments.Text) = (words.ElementAtOrDefault(0) ?? "", words.ElementAtOrDefault(1) ?? "",
            words.ElementAtOrDefault(2));
        return error.Length == 0;
    }

    public CoapRequest ToRequest()
    {
        CoapContentFormat? format = Format("--format");
        CoapContent? content = _options.TryGetValue("--file", out string? file) ? CoapContent.File(file, format) : Text is null ? null
            : CoapContent.Text(Text, format);
        CoapMethod method = Verb != "observe" ? Enum.Parse<CoapMethod>(Verb, ignoreCase: true) : content is null ? CoapMethod.Get
            : CoapMethod.Fetch;
        return new CoapRequest(method, Uri)
        {
            Content = content,
            Accept = Format("--accept"),
            Confirmable = !_options.ContainsKey("--non"),
            BlockSize = _options.TryGetValue("--block", out string? block) ? Number(block) : null,
            Timeout = _options.TryGetValue("--timeout", out string? timeout) ? TimeSpan.FromSeconds(Number(timeout)) : null,
        };
    }

    private static int Number(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? number
            : throw new ArgumentException($"'{text}' is not a number.");

    private CoapContentFormat? Format(string option) =>
        !_options.TryGetValue(option, out string? text) ? null
        : ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort number) ? new CoapContentFormat(number)
        : CoapContentFormat.TryFromMediaType(text, out CoapContentFormat known) ? known
        : throw new ArgumentException($"'{text}' is not a Content-Format: give its number or media type.");
}
