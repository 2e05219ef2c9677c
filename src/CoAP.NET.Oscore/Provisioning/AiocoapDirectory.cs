using System.Text.Json;
using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore.Provisioning;

/// <summary>
/// Reads a context in the format of aiocoap: <c>settings.json</c> and <c>secret.json</c> of a directory, which together form one object;
/// one of the files may be missing.
/// </summary>
internal static class AiocoapDirectory
{
    private const int MaxLength = 65_536;

    // aiocoap's default.
    private const int DefaultWindowSize = 32;
    private const int MaxNameLength = 256;

    private enum Form
    {
        Plain,
        Hex,
        Ascii,
    }

    /// <summary>Reads a directory.</summary>
    /// <exception cref="CoapCredentialException">The directory has an error.</exception>
    public static OscoreContextFileEntry Read(string directory)
    {
        using ParsedOscoreContext fields = new() { Name = Path.GetFileName(Path.TrimEndingDirectorySeparator(directory)) };
        HashSet<string> seen = [];
        bool isAny = false;
        foreach (string name in (ReadOnlySpan<string>)["secret.json", "settings.json"])
        {
            string path = Path.Combine(directory, name);
            if (File.Exists(path))
            {
                isAny = true;
                SecretFileReader.Read(path, MaxLength, (bytes, file) => ReadFile(bytes, file, fields, seen));
            }
        }

        if (!isAny)
        {
            throw new CoapCredentialException(directory, 0,
                "The directory has neither settings.json nor secret.json. Name a JSON file of contexts, or a directory of aiocoap.");
        }

        fields.WindowSize ??= DefaultWindowSize;
        return fields.Make(directory, "", ("secret", "sender-id", "recipient-id"));
    }

    /// <summary>Reads one of the files.</summary>
    /// <param name="json">Its bytes, not yet validated.</param>
    /// <param name="file">The file, for messages.</param>
    /// <param name="fields">The fields to set.</param>
    /// <param name="seen">The names found so far.</param>
    internal static bool ReadFile(ReadOnlySpan<byte> json, string file, ParsedOscoreContext fields, HashSet<string> seen)
    {
        try
        {
            Utf8JsonReader reader = new(json, SecretJsonReader.Options);
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            {
                throw new CoapCredentialException(file, 0, "The file must contain a JSON object.");
            }

            while (reader.Read() && reader.TokenType != JsonTokenType.EndObject)
            {
                ReadField(ref reader, file, fields, seen);
            }

            while (reader.Read())
            {
            }

            return true;
        }
        catch (JsonException exception)
        {
            throw SecretJsonReader.NoJson(file, exception);
        }
    }

    private static void ReadField(ref Utf8JsonReader reader, string file, ParsedOscoreContext fields, HashSet<string> seen)
    {
        foreach (string name in (ReadOnlySpan<string>)["secret", "salt", "sender-id", "recipient-id", "id-context"])
        {
            Form form = reader.ValueTextEquals(name + "_hex") ? Form.Hex
                : reader.ValueTextEquals(name + "_ascii") ? Form.Ascii
                : Form.Plain;
            if (form == Form.Plain)
            {
                continue;
            }

            Note(name, file, seen);
            reader.Read();
            byte[] value = form == Form.Hex ? SecretJsonReader.ReadHex(ref reader, file, name)
                : SecretJsonReader.ReadAscii(ref reader, file, name);
            switch (name)
            {
                case "secret":
                    fields.MasterSecret = value;
                    break;
                case "salt":
                    fields.MasterSalt = value;
                    break;
                case "sender-id":
                    fields.SenderId = value;
                    break;
                case "recipient-id":
                    fields.RecipientId = value;
                    break;
                default:
                    fields.IdContext = value;
                    break;
            }

            return;
        }

        if (reader.ValueTextEquals("algorithm"u8))
        {
            Note("algorithm", file, seen);
            reader.Read();
            string text = SecretJsonReader.ReadString(ref reader, file, "algorithm", MaxNameLength);
            fields.Algorithm = OscoreAlgorithm.Find(text) ?? throw new CoapCredentialException(file, 0,
                $"algorithm must be one of {string.Join(", ", OscoreAlgorithm.All.Select(static known => known.Name))}.");
        }
        else if (reader.ValueTextEquals("kdf-hashfun"u8))
        {
            Note("kdf-hashfun", file, seen);
            reader.Read();
            fields.Hkdf = SecretJsonReader.ReadString(ref reader, file, "kdf-hashfun", MaxNameLength) switch
            {
                "sha256" => OscoreHkdf.Sha256,
                "sha512" => OscoreHkdf.Sha512,
                _ => throw new CoapCredentialException(file, 0, "kdf-hashfun must be sha256 or sha512."),
            };
        }
        else if (reader.ValueTextEquals("window"u8))
        {
            Note("window", file, seen);
            reader.Read();
            fields.WindowSize = SecretJsonReader.ReadWindowSize(ref reader, file, "window");
        }
        else
        {
            // A field of newer versions, or of groups; aiocoap ignores unknown fields too.
            reader.Read();
            reader.Skip();
        }
    }

    private static void Note(string name, string file, HashSet<string> seen)
    {
        if (!seen.Add(name))
        {
            throw new CoapCredentialException(file, 0, $"{name} occurs twice, or in both files. Remove one of them.");
        }
    }
}
