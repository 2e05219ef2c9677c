namespace CoAP.NET.Oscore;

/// <summary>
/// A file of security contexts cannot be read, or what stands in it makes no context. The message says where and what to do, and holds no
/// secret.
/// </summary>
public sealed class OscoreProvisioningException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="fileName">The file.</param>
    /// <param name="problem">What is wrong with it and what to do; without any secret.</param>
    /// <param name="innerException">What caused it.</param>
    public OscoreProvisioningException(string fileName, string problem, Exception? innerException = null)
        : base($"{fileName}: {problem}", innerException) => FileName = fileName;

    /// <summary>The file.</summary>
    public string FileName { get; }
}
