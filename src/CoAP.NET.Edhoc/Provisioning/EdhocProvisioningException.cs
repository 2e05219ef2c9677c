namespace CoAP.NET.Edhoc;

/// <summary>A file of credentials or keys is not readable, or has an error.</summary>
/// <remarks>The message names the place and what to do, and contains no key.</remarks>
public sealed class EdhocProvisioningException : CoapException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="fileName">The file.</param>
    /// <param name="problem">The problem and what to do about it; without any key.</param>
    /// <param name="innerException">The cause.</param>
    public EdhocProvisioningException(string fileName, string problem, Exception? innerException = null)
        : base($"{fileName}: {problem}", innerException) => FileName = fileName;

    /// <summary>The file.</summary>
    public string FileName { get; }
}
