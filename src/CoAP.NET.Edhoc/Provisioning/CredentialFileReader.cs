using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using CoAP.NET.Diagnostics;
using CoAP.NET.Edhoc.Coap;

namespace CoAP.NET.Edhoc.Provisioning;

/// <summary>Parses a file with the credentials of EDHOC.</summary>
internal sealed class CredentialFileReader
{
    private const int MaxEntries = 65_536;
    private const int MaxSubject = 256;

    private static readonly string[] s_names = ["own", "trusted", "authorities", "servers", "method", "suites", "combinesFirstRequest"];
    private static readonly string[] s_ownNames = ["key", "certificate", "claims", "kid", "subject", "byValue"];
    private static readonly string[] s_trustedNames = ["certificate", "claims", "publicKey", "kid", "subject", "identity"];

    private readonly string _file;
    private readonly string _directory;
    private readonly EdhocCredentialFileContents _read;

    private CredentialFileReader(string file, EdhocCredentialFileContents read)
    {
        _file = file;
        _read = read;
        _directory = Path.GetDirectoryName(Path.GetFullPath(file))!;
    }

    public static EdhocCredentialFileContents Read(string file)
    {
        EdhocCredentialFileContents read = new();
        try
        {
            using JsonDocument document = JsonDocument.Parse(
                PemFile.ReadBytes(file),
                new JsonDocumentOptions { AllowTrailingCommas = true, CommentHandling = JsonCommentHandling.Skip });
            new CredentialFileReader(file, read).ReadFile(document.RootElement);
            return read;
        }
        catch (JsonException exception)
        {
            read.Dispose();
            throw new CoapCredentialException(
                file, 0,
                exception.LineNumber is { } line
                    ? string.Create(CultureInfo.InvariantCulture, $"Line {line + 1} is not valid JSON. Check quotes, commas and brackets "
                        + $"there.")
                    : "The file is not valid JSON.");
        }
        catch
        {
            read.Dispose();
            throw;
        }
    }

    private static byte[]? HexOf(string text)
    {
        try
        {
            return text.StartsWith("0x", StringComparison.Ordinal) ? Convert.FromHexString(text.AsSpan(2)) : null;
        }
        catch (FormatException)
        {
            return null;
        }
    }

    private void ReadFile(JsonElement root)
    {
        if (root.ValueKind != JsonValueKind.Object)
        {
            throw Wrong("The file must be an object with \"own\" and \"trusted\" or \"authorities\".");
        }

        Check(root, "The file", s_names);
        foreach ((JsonElement item, string where) in ListOf(root, "own"))
        {
            ReadOwn(item, where);
        }

        foreach ((JsonElement item, string where) in ListOf(root, "trusted"))
        {
            _read.Trusted.Add(ReadTrusted(item, where));
        }

        List<X509Certificate2> roots = [];
        foreach ((JsonElement item, string where) in ListOf(root, "authorities"))
        {
            roots.AddRange(PemFile.ReadCertificates(PathOf(item, where)));
        }

        _read.Authorities = roots.Count == 0 ? null : new EdhocCertificateTrust(roots);
        ReadServers(root);
        foreach ((JsonElement item, string where) in ListOf(root, "suites"))
        {
            _read.Suites.Add(item.ValueKind == JsonValueKind.Number && item.TryGetInt32(out int number)
                && EdhocCipherSuite.Find(number) is { } suite
                    ? suite
                    : throw Wrong($"{where} must be the number of a cipher suite of EDHOC, such as 2."));
        }

        if (root.TryGetProperty("method", out JsonElement method))
        {
            _read.Method = method.ValueKind == JsonValueKind.Number && method.TryGetInt32(out int number)
                && Enum.IsDefined((EdhocMethod)number)
                    ? (EdhocMethod)number
                    : throw Wrong("method must be 0, 1, 2 or 3.");
        }

        _read.CombinesFirstRequest = SwitchOf(root, "", "combinesFirstRequest");
        if (_read.Own.Count == 0)
        {
            throw Wrong("\"own\" is missing or empty: name one credential at least, by which this side authenticates.");
        }

        if (_read.Trusted.Count == 0 && _read.Authorities is null)
        {
            throw Wrong("The file trusts no peer: name peers in \"trusted\", or issuers of their certificates in \"authorities\".");
        }
    }

    private void ReadServers(JsonElement root)
    {
        if (!root.TryGetProperty("servers", out JsonElement servers))
        {
            return;
        }

        if (servers.ValueKind != JsonValueKind.Object)
        {
            throw Wrong(
                "servers must be an object with URIs of servers and their identities, such as \"coap://door.example\": \"door 7\".");
        }

        HashSet<string> seen = new(StringComparer.Ordinal);
        foreach (JsonProperty server in servers.EnumerateObject())
        {
            string where = $"servers[\"{CoapUntrustedText.LineOf(server.Name)}\"]";
            CoapUri uri = CoapUri.TryParse(server.Name, out CoapUri? parsed)
                ? parsed
                : throw Wrong($"{where} must have the URI of a server as its name, such as coap://door.example.");
            string peer = TextOf(server.Value, where);
            if (!seen.Add(ServerUriKey.Of(uri)))
            {
                throw Wrong($"{where} names a server that is there already.");
            }

            // With authorities it may be a name in a certificate.
            if (_read.Authorities is null && !_read.Trusted.Has(peer))
            {
                throw Wrong($"{where} is \"{CoapUntrustedText.LineOf(peer)}\", which is the identity of no entry in \"trusted\".");
            }

            _read.Servers.Add(server.Name, peer);
        }
    }

    private void ReadOwn(JsonElement item, string where)
    {
        Check(item, where, s_ownNames);
        EdhocPrivateKey key = PemFile.ReadPrivateKey(PathOf(Needed(item, where, "key"), $"{where}.key"));
        _read.Keys.Add(key);
        bool isByValue = SwitchOf(item, where, "byValue");
        try
        {
            if (item.TryGetProperty("certificate", out JsonElement certificate))
            {
                ReadOnlyMemory<byte>[] chain =
                    [.. PemFile.ReadCertificates(PathOf(certificate, $"{where}.certificate")).Select(static one => one.RawDataMemory)];
                _read.Own.Add(new EdhocOwnCredential(
                    EdhocCredential.OfCertificate(chain[0].Span),
                    isByValue ? EdhocCredentialId.OfCertificateChain(chain) : EdhocCredentialId.OfCertificateHash(chain[0].Span),
                    key));
                return;
            }

            EdhocCredential credential = ClaimsOf(item, where, key.PublicKey, null);
            _read.Own.Add(isByValue
                ? new EdhocOwnCredential(credential, EdhocCredentialId.OfCcs(credential.Encoded.Span), key)
                : EdhocOwnCredential.ByKeyId(credential.Encoded.Span, key));
        }
        catch (Exception exception) when (exception is EdhocException or ArgumentException)
        {
            throw Wrong($"{where}: {exception.Message}", exception);
        }
    }

    private EdhocCredential ReadTrusted(JsonElement item, string where)
    {
        Check(item, where, s_trustedNames);
        object? identity = item.TryGetProperty("identity", out JsonElement named) ? TextOf(named, $"{where}.identity") : null;
        try
        {
            return item.TryGetProperty("certificate", out JsonElement certificate)
                ? EdhocCredential.OfCertificate(
                    PemFile.ReadCertificates(PathOf(certificate, $"{where}.certificate"))[0].RawDataMemory.Span, identity)
                : ClaimsOf(
                    item,
                    where,
                    item.TryGetProperty("publicKey", out JsonElement key) ? PemFile.ReadPublicKey(PathOf(key, $"{where}.publicKey")) : null,
                    identity);
        }
        catch (EdhocException exception)
        {
            throw Wrong($"{where}: {exception.Message}", exception);
        }
    }

    private EdhocCredential ClaimsOf(JsonElement item, string where, EdhocPublicKey? key, object? identity)
    {
        if (item.TryGetProperty("claims", out JsonElement claims))
        {
            return EdhocCredential.OfCcs(BytesOf(claims, $"{where}.claims"), identity);
        }

        if (key is null)
        {
            throw Wrong($"{where} has no certificate, claims or publicKey.");
        }

        string? subject = item.TryGetProperty("subject", out JsonElement text) ? TextOf(text, $"{where}.subject") : null;
        return EdhocCredential.Create(key, BytesOf(Needed(item, where, "kid"), $"{where}.kid"), subject, identity);
    }

    private void Check(JsonElement item, string where, string[] names)
    {
        if (item.ValueKind != JsonValueKind.Object)
        {
            throw Wrong($"{where} must be an object with {string.Join(", ", names)}.");
        }

        HashSet<string> seen = new(StringComparer.Ordinal);
        foreach (JsonProperty property in item.EnumerateObject())
        {
            if (Array.IndexOf(names, property.Name) < 0)
            {
                throw Wrong($"{where} has an unknown name, {property.Name}. " + (EditDistance.Nearest(property.Name, names) is { } near
                    ? $"Did you mean {near}?"
                    : $"Known names are {string.Join(", ", names)}."));
            }

            if (!seen.Add(property.Name))
            {
                throw Wrong($"{where} has {property.Name} twice.");
            }
        }
    }

    private IEnumerable<(JsonElement Item, string Where)> ListOf(JsonElement root, string name)
    {
        if (!root.TryGetProperty(name, out JsonElement list))
        {
            return [];
        }

        return list.ValueKind == JsonValueKind.Array && list.GetArrayLength() <= MaxEntries
            ? list.EnumerateArray().Select((item, i) => (item, string.Create(CultureInfo.InvariantCulture, $"{name}[{i}]")))
            : throw Wrong($"{name} must be a list of at most {MaxEntries:N0} entries.");
    }

    private bool SwitchOf(JsonElement item, string where, string name) => item.TryGetProperty(name, out JsonElement value)
        && (value.ValueKind is JsonValueKind.True or JsonValueKind.False
            ? value.GetBoolean()
            : throw Wrong($"{(where.Length > 0 ? $"{where}.{name}" : name)} must be true or false."));

    private JsonElement Needed(JsonElement item, string where, string name) =>
        item.TryGetProperty(name, out JsonElement value) ? value : throw Wrong($"{where}.{name} is missing.");

    private string TextOf(JsonElement value, string where) =>
        value.ValueKind == JsonValueKind.String && value.GetString() is { Length: > 0 and <= MaxSubject } text
            ? text
            : throw Wrong($"{where} must be a text of at most {MaxSubject} characters.");

    private byte[] BytesOf(JsonElement value, string where) =>
        (value.ValueKind == JsonValueKind.String ? HexOf(value.GetString()!) : null)
        ?? throw Wrong($"{where} must be 0x and hexadecimal digits, two for each byte.");

    private string PathOf(JsonElement value, string where) =>
        value.ValueKind == JsonValueKind.String && value.GetString() is { Length: > 0 } text
            ? Path.Combine(_directory, text)
            : throw Wrong($"{where} must be the path of a file.");

    private CoapCredentialException Wrong(string problem, Exception? cause = null) => new(_file, 0, problem, cause);
}
