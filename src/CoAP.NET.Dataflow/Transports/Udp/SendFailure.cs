namespace CoAP.NET.Transports.Udp;

/// <summary>A datagram that the operating system refused, with the error; reported once the batch is consistent again.</summary>
internal readonly record struct SendFailure(LinuxUdpEngine Owner, CoapDatagram Datagram, int Error)
{
    /// <summary>Reports failures.</summary>
    /// <param name="failures">The failures; null for none.</param>
    public static void Report(List<SendFailure>? failures)
    {
        foreach (SendFailure failure in failures ?? [])
        {
            failure.Owner.Fail(failure.Datagram, LinuxErrors.ToException(failure.Error));
        }
    }
}
