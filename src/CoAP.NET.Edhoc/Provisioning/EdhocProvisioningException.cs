namespace CoAP.NET.Edhoc;

/// <summary>
/// A file of credentials or keys cannot be read, or what stands in it is none. The message says where and what to do, and holds no key.
/// </summary>
public sealed class EdhocProvisioningException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="fileName">The file.</param>
    /// <param name="problem">What is wrong with it and what to do; without any key.</param>
    /// <param name="innerException">What caused it.</param>
    public EdhocProvisioningException(string fileName, string problem, Exception? innerException = null)
        : base($"{fileName}: {problem}", innerException) => FileName = fileName;

    /// <summary>The file.</summary>
    public string FileName { get; }
}
