using System.Globalization;

namespace CoAP.NET.Proxy.Admission;

/// <summary>Which ports a target may have: the default port of its scheme, one port, or every port.</summary>
/// <param name="Number">The port; <see cref="Any"/> for every port; 0 for the default port of the scheme.</param>
internal readonly record struct AllowedPort(int Number)
{
    private const int Any = -1;

    /// <summary>Whether a target may have a port.</summary>
    /// <param name="port">The port.</param>
    /// <param name="isDefault">Whether it is the default port of the target's scheme.</param>
    public bool Allows(int port, bool isDefault) => Number == Any || (Number == 0 ? isDefault : Number == port);

    /// <summary>Splits a text such as <c>sensor.example.com:5685</c>.</summary>
    /// <param name="text">The text.</param>
    /// <param name="end">Where its host or network ends.</param>
    /// <returns>The host or network, and the port; null if the port is none.</returns>
    public static (string Named, AllowedPort Port)? Split(string text, int end) =>
        text.AsSpan(end) switch
        {
            "" => (text, default),
            ":*" => (text[..end], new AllowedPort(Any)),
            var port => ushort.TryParse(port[1..], NumberStyles.None, CultureInfo.InvariantCulture, out ushort number) && number > 0
                ? (text[..end], new AllowedPort(number))
                : null,
        };
}
