using System.Security.Cryptography;
using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore.Provisioning;

/// <summary>The fields of a context in a file, until the context exists. Wiped afterwards.</summary>
internal sealed class ParsedOscoreContext : IDisposable
{
    /// <summary>The name of the peer; null for none.</summary>
    public string? Name { get; set; }

    /// <summary>The Master Secret; null if missing.</summary>
    public byte[]? MasterSecret { get; set; }

    /// <summary>The Master Salt; null for none.</summary>
    public byte[]? MasterSalt { get; set; }

    /// <summary>The Sender ID; null if missing.</summary>
    public byte[]? SenderId { get; set; }

    /// <summary>The Recipient ID; null if missing.</summary>
    public byte[]? RecipientId { get; set; }

    /// <summary>The ID Context; null for none.</summary>
    public byte[]? IdContext { get; set; }

    /// <summary>The algorithm; null for the default.</summary>
    public OscoreAlgorithm? Algorithm { get; set; }

    /// <summary>The key derivation; null for the default.</summary>
    public OscoreHkdf? Hkdf { get; set; }

    /// <summary>The size of the replay window; null for the default.</summary>
    public int? WindowSize { get; set; }

    /// <summary>Creates the context.</summary>
    /// <param name="file">The file, for messages.</param>
    /// <param name="where">The prefix of messages, such as <c>contexts[3]</c>; empty for a file of one context.</param>
    /// <param name="names">The names of secret, Sender ID and Recipient ID in the file.</param>
    /// <exception cref="CoapCredentialException">A field is missing or does not fit.</exception>
    public OscoreContextFileEntry Make(string file, string where, (string Secret, string Sender, string Recipient) names)
    {
        string? missing = MasterSecret is null ? names.Secret
            : SenderId is null ? names.Sender
            : RecipientId is null ? names.Recipient
            : null;
        if (missing is not null)
        {
            throw new CoapCredentialException(file, 0, $"{where}{(where.Length > 0 ? ": " : "")}{missing} is missing.");
        }

        try
        {
            OscoreParameters parameters = new(MasterSecret, SenderId, RecipientId, Algorithm)
            {
                MasterSalt = MasterSalt,
                IdContext = IdContext,
                Hkdf = Hkdf ?? OscoreHkdf.Sha256,
                WindowSize = WindowSize ?? OscoreParameters.DefaultWindowSize,
            };
            return new OscoreContextFileEntry(Name, parameters);
        }
        catch (ArgumentException exception)
        {
            // Its messages contain lengths and no bytes. The parameter name would not help the reader of a file.
            string message = exception.ParamName is { } name
                ? exception.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal)
                : exception.Message;
            throw new CoapCredentialException(file, 0, $"{where}{(where.Length > 0 ? ": " : "")}{message}", exception);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(MasterSecret);
        CryptographicOperations.ZeroMemory(MasterSalt);
    }
}
