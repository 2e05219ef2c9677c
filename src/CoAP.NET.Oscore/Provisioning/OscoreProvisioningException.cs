namespace CoAP.NET.Oscore;

/// <summary>A file of security contexts is not readable, or has an error.</summary>
/// <remarks>The message names the place and what to do, and contains no secret.</remarks>
public sealed class OscoreProvisioningException : CoapException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="fileName">The file.</param>
    /// <param name="problem">The problem and what to do about it, without any secret.</param>
    /// <param name="innerException">The cause.</param>
    public OscoreProvisioningException(string fileName, string problem, Exception? innerException = null)
        : base($"{fileName}: {problem}", innerException) => FileName = fileName;

    /// <summary>The file.</summary>
    public string FileName { get; }
}
