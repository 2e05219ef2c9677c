using System.Net;

namespace CoAP.NET.Hosting;

/// <summary>A range of addresses.</summary>
internal sealed class NetworkKind() : ValueKind<IPNetwork>("a prefix such as 192.0.2.0/24 or 2001:db8::/32")
{
    public override bool TryParse(string text, out IPNetwork value) => IPNetwork.TryParse(text, out value);

    public override string Format(IPNetwork value) => value.ToString();
}
