namespace CoAP.NET.Dtls;

/// <summary>
/// Credentials cannot be read: a file of pre-shared keys, a certificate or a private key. The message says where and what to do, and holds
/// no key.
/// </summary>
public sealed class CoapCredentialException : CoapDtlsException
{
    /// <summary>Makes an exception.</summary>
    public CoapCredentialException()
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What is wrong and what to do.</param>
    public CoapCredentialException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapCredentialException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    internal CoapCredentialException(string file, int line, string problem, Exception? innerException = null)
        : base(line > 0 ? $"{file}, line {line}: {problem}" : $"{file}: {problem}", innerException)
    {
        FileName = file;
        Line = line;
    }

    /// <summary>The file that was read; null when it was none.</summary>
    public string? FileName { get; }

    /// <summary>The line of the file, from 1; 0 when it is not about one.</summary>
    public int Line { get; }
}
