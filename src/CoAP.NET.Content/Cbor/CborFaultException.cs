namespace CoAP.NET.Content.Cbor;

/// <summary>Ends the reading of CBOR; <see cref="UntrustedCborReader.TryRead"/> turns it into a fault.</summary>
/// <param name="remaining">The number of bytes from the fault to the end of the data.</param>
/// <param name="message">The error, without an initial capital letter and a full stop.</param>
internal sealed class CborFaultException(int remaining, string message) : Exception(message)
{
    public int Remaining => remaining;
}
