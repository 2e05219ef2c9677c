using System.Text;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.Footprint.Rows;

/// <summary>What the rows of directories register: endpoints with links of very many types.</summary>
internal static class Registered
{
    /// <summary>How many links each has.</summary>
    public const int Links = 10;

    /// <summary>How many types there are.</summary>
    public const int Types = 1_000;

    /// <summary>Who registers one: sixteen sources, as one would have no share in so many.</summary>
    public static RegistrantIdentity ByWhom(int i) => new(new DirectoryOwner((ulong)i, 1, (ulong)i % 16), true, [], 0);

    /// <summary>Reads and checks its links, and makes it.</summary>
    public static Registration Make(int i)
    {
        _ = RegistrationLinks.TryRead(LinksOf(i), 500, out RegistrationLinks? links);
        return Registration.Make(new RegistrationRefreshHeader(ByWhom(i).Owner, 0), new RegistrationFields
        {
            Lifetime = 90_000,
            LinkCount = links!.Count,
            Endpoint = Utf8($"node-{i}"),
            Base = Utf8($"coap://[2001:db8::{i & 0xffff:x}]"),
            Links = links.Bytes,
        });
    }

    private static byte[] LinksOf(int i)
    {
        StringBuilder links = new();
        for (int link = 0; link < Links; link++)
        {
            links.Append(link == 0 ? "" : ",");
            links.Append($"</3303/{link}/5700>;rt=\"core.s type-{(i + link) % Types}\";ct=110");
        }

        return Utf8(links.ToString());
    }

    private static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);
}
