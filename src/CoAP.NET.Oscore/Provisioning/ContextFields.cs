using System.Security.Cryptography;

namespace CoAP.NET.Oscore;

/// <summary>What stands in a file of one context, until it is made. Wiped afterwards.</summary>
internal sealed class ContextFields : IDisposable
{
    /// <summary>What the peer is called; null for nothing.</summary>
    public string? Name { get; set; }

    /// <summary>The Master Secret; null when it is missing.</summary>
    public byte[]? MasterSecret { get; set; }

    /// <summary>The Master Salt; null for none.</summary>
    public byte[]? MasterSalt { get; set; }

    /// <summary>The Sender ID; null when it is missing.</summary>
    public byte[]? SenderId { get; set; }

    /// <summary>The Recipient ID; null when it is missing.</summary>
    public byte[]? RecipientId { get; set; }

    /// <summary>The ID Context; null for none.</summary>
    public byte[]? IdContext { get; set; }

    /// <summary>The algorithm; null for the default.</summary>
    public OscoreAlgorithm? Algorithm { get; set; }

    /// <summary>The key derivation; null for the default.</summary>
    public OscoreHkdf? Hkdf { get; set; }

    /// <summary>The size of the replay window; null for the default.</summary>
    public int? WindowSize { get; set; }

    /// <summary>Makes the context.</summary>
    /// <param name="file">The file, for messages.</param>
    /// <param name="where">What messages begin with, such as <c>contexts[3]</c>; empty for a file of one context.</param>
    /// <param name="names">How the file calls secret, Sender ID and Recipient ID.</param>
    /// <exception cref="OscoreProvisioningException">Something is missing or does not fit.</exception>
    public OscoreContextEntry Make(string file, string where, (string Secret, string Sender, string Recipient) names)
    {
        string? missing = MasterSecret is null ? names.Secret
            : SenderId is null ? names.Sender
            : RecipientId is null ? names.Recipient
            : null;
        if (missing is not null)
        {
            throw new OscoreProvisioningException(file, $"{where}{(where.Length > 0 ? ": " : "")}{missing} is missing.");
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
            return new OscoreContextEntry(Name, parameters);
        }
        catch (ArgumentException exception)
        {
            // Its messages tell lengths and no bytes. The name of a parameter of ours helps nobody.
            string message = exception.ParamName is { } name
                ? exception.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal)
                : exception.Message;
            throw new OscoreProvisioningException(file, $"{where}{(where.Length > 0 ? ": " : "")}{message}", exception);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(MasterSecret);
        CryptographicOperations.ZeroMemory(MasterSalt);
    }
}
