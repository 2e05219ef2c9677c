using System.Globalization;
using System.Text;
using System.Text.Json;
using CoAP.NET.Diagnostics;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore.Provisioning;

/// <summary>Parses a file with security contexts.</summary>
internal static class ContextFileParser
{
    /// <summary>Maximum number of contexts in a file.</summary>
    public const int MaxContexts = 65_536;

    private const int MaxNameLength = 256;

    private static readonly string[] s_names =
    [
        "name", "masterSecret", "masterSalt", "senderId", "recipientId", "idContext", "algorithm", "hkdf", "windowSize",
    ];

    /// <summary>Reads a file.</summary>
    /// <param name="json">Its bytes, not yet validated.</param>
    /// <param name="file">The file, for messages.</param>
    /// <exception cref="CoapCredentialException">The file has an error.</exception>
    public static List<OscoreContextFileEntry> Parse(ReadOnlySpan<byte> json, string file)
    {
        List<OscoreContextFileEntry> contexts = [];
        try
        {
            Utf8JsonReader reader = new(json, SecretJsonReader.Options);
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            {
                throw new CoapCredentialException(file, 0, "The file must contain an object with one context, or with the list "
                    + "\"contexts\".");
            }

            Utf8JsonReader first = reader;
            if (first.Read() && first.TokenType == JsonTokenType.PropertyName && first.ValueTextEquals("contexts"u8))
            {
                ReadList(ref reader, json, file, contexts);
            }
            else
            {
                contexts.Add(ReadContext(ref reader, json, file, ""));
            }

            while (reader.Read())
            {
            }

            CheckKeys(contexts, file);
            return contexts;
        }
        catch (Exception exception) when (exception is JsonException or CoapCredentialException)
        {
            contexts.ForEach(static context => context.Parameters.Dispose());
            throw exception is JsonException json2 ? SecretJsonReader.NoJson(file, json2) : exception;
        }
    }

    private static void ReadList(ref Utf8JsonReader reader, ReadOnlySpan<byte> json, string file, List<OscoreContextFileEntry> contexts)
    {
        reader.Read();
        reader.Read();
        if (reader.TokenType != JsonTokenType.StartArray)
        {
            throw new CoapCredentialException(file, 0, "\"contexts\" must be a list.");
        }

        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            string where = string.Create(CultureInfo.InvariantCulture, $"contexts[{contexts.Count}]");
            if (contexts.Count == MaxContexts)
            {
                throw new CoapCredentialException(file, 0,
                    $"The file has more than {MaxContexts:N0} contexts. Resolve them from a database.");
            }

            if (reader.TokenType != JsonTokenType.StartObject)
            {
                throw new CoapCredentialException(file, 0, $"{where} must be an object.");
            }

            contexts.Add(ReadContext(ref reader, json, file, where));
        }

        if (!reader.Read() || reader.TokenType != JsonTokenType.EndObject)
        {
            throw new CoapCredentialException(file, 0, "A file with \"contexts\" must contain nothing else.");
        }

        if (contexts.Count == 0)
        {
            throw new CoapCredentialException(file, 0, "\"contexts\" is empty.");
        }
    }

    private static OscoreContextFileEntry ReadContext(ref Utf8JsonReader reader, ReadOnlySpan<byte> json, string file, string where)
    {
        using ParsedOscoreContext fields = new();
        int seen = 0;
        while (reader.Read() && reader.TokenType != JsonTokenType.EndObject)
        {
            int index = -1;
            for (int i = 0; i < s_names.Length && index < 0; i++)
            {
                index = reader.ValueTextEquals(s_names[i]) ? i : -1;
            }

            if (index < 0)
            {
                throw new CoapCredentialException(file, 0, $"{(where.Length > 0 ? where : "The file")} has {Unknown(ref reader, json)}");
            }

            string name = where.Length > 0 ? $"{where}.{s_names[index]}" : s_names[index];
            if ((seen & (1 << index)) != 0)
            {
                throw new CoapCredentialException(file, 0, $"{name} occurs twice.");
            }

            seen |= 1 << index;
            reader.Read();
            ReadField(ref reader, file, name, index, fields);
        }

        return fields.Make(file, where, ("masterSecret", "senderId", "recipientId"));
    }

    // Name and value may be swapped, so the message shows only a name that resembles a known one.
    private static string Unknown(ref Utf8JsonReader reader, ReadOnlySpan<byte> json)
    {
        string name = reader.ValueSpan.Length <= MaxNameLength ? Encoding.UTF8.GetString(reader.ValueSpan) : "";
        int line = json[..(int)reader.TokenStartIndex].Count((byte)'\n') + 1;
        return EditDistance.Nearest(name, s_names) is { } near
            ? $"an unknown name, {name}. Did you mean {near}?"
            : string.Create(CultureInfo.InvariantCulture,
                $"an unknown name in line {line}, which is not shown because it may be a secret. Known names are "
                    + $"{string.Join(", ", s_names)}.");
    }

    private static void ReadField(ref Utf8JsonReader reader, string file, string name, int index, ParsedOscoreContext fields)
    {
        switch (s_names[index])
        {
            case "name":
                fields.Name = SecretJsonReader.ReadString(ref reader, file, name, MaxNameLength);
                break;
            case "masterSecret":
                fields.MasterSecret = SecretJsonReader.ReadBytes(ref reader, file, name);
                break;
            case "masterSalt":
                fields.MasterSalt = SecretJsonReader.ReadBytes(ref reader, file, name);
                break;
            case "senderId":
                fields.SenderId = SecretJsonReader.ReadBytes(ref reader, file, name);
                break;
            case "recipientId":
                fields.RecipientId = SecretJsonReader.ReadBytes(ref reader, file, name);
                break;
            case "idContext":
                fields.IdContext = SecretJsonReader.ReadBytes(ref reader, file, name);
                break;
            case "algorithm":
                fields.Algorithm = ReadAlgorithm(ref reader, file, name);
                break;
            case "hkdf":
                fields.Hkdf = ReadHkdf(ref reader, file, name);
                break;
            default:
                fields.WindowSize = SecretJsonReader.ReadWindowSize(ref reader, file, name);
                break;
        }
    }

    private static OscoreAlgorithm ReadAlgorithm(ref Utf8JsonReader reader, string file, string name) =>
        (reader.TokenType == JsonTokenType.Number
            ? OscoreAlgorithm.Find(SecretJsonReader.ReadInteger(ref reader, file, name))
            : OscoreAlgorithm.Find(SecretJsonReader.ReadString(ref reader, file, name, MaxNameLength)))
        ?? throw new CoapCredentialException(file, 0,
            $"{name} must be one of {string.Join(", ", OscoreAlgorithm.All.Select(static algorithm => algorithm.ToString()))}.");

    private static OscoreHkdf ReadHkdf(ref Utf8JsonReader reader, string file, string name)
    {
        OscoreHkdf? hkdf;
        if (reader.TokenType == JsonTokenType.Number)
        {
            hkdf = OscoreHkdf.Find(SecretJsonReader.ReadInteger(ref reader, file, name));
        }
        else
        {
            string text = SecretJsonReader.ReadString(ref reader, file, name, MaxNameLength);
            hkdf = OscoreHkdf.All.FirstOrDefault(known => known.Name.Equals(text, StringComparison.OrdinalIgnoreCase));
        }

        return hkdf ?? throw new CoapCredentialException(file, 0,
            $"{name} must be one of {string.Join(", ", OscoreHkdf.All.Select(static known => known.ToString()))}.");
    }

    // Two contexts that encrypt with one key would repeat its numbers.
    private static void CheckKeys(List<OscoreContextFileEntry> contexts, string file)
    {
        Dictionary<OscoreStoreKey, int> keys = [];
        for (int i = 0; i < contexts.Count; i++)
        {
            if (!keys.TryAdd(OscoreStoreKey.Of(contexts[i].Parameters), i))
            {
                throw new CoapCredentialException(file, 0,
                    $"contexts[{keys[OscoreStoreKey.Of(contexts[i].Parameters)]}] and contexts[{i}] have the same masterSecret, "
                    + "masterSalt, idContext and senderId, so they would encrypt with one key and the same numbers (RFC 8613 section 3.3). "
                    + "Give one of them another secret or senderId.");
            }
        }
    }
}
