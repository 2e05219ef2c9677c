using System.Globalization;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Times of the protocol, for the help.</summary>
internal static class ProtocolTimes
{
    /// <summary>MAX_TRANSMIT_WAIT: how long a client waits for an acknowledgement (RFC 7252 section 4.8.2).</summary>
    public static string Transmission { get; } =
        string.Create(CultureInfo.InvariantCulture, $"{CoapTransmissionParameters.Default.MaxTransmitWait.TotalSeconds:0} s");
}
