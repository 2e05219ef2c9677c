namespace CoAP.NET;

/// <summary>Credentials are not readable: a file of pre-shared keys, a certificate or a private key.</summary>
/// <remarks>The message names the place and what to do, and contains no key.</remarks>
public sealed class CoapCredentialException : CoapException
{
    /// <summary>Creates the exception.</summary>
    public CoapCredentialException()
    {
    }

    /// <summary>Creates the exception.</summary>
    /// <param name="message">The problem and what to do about it.</param>
    public CoapCredentialException(string message)
        : base(message)
    {
    }

    /// <summary>Creates the exception.</summary>
    /// <param name="message">The problem and what to do about it.</param>
    /// <param name="innerException">The cause.</param>
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

    /// <summary>The file with the problem; null if there is none.</summary>
    public string? FileName { get; }

    /// <summary>The line of the file, from 1; 0 if the problem is not in one line.</summary>
    public int Line { get; }
}
