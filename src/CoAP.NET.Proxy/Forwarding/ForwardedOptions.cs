using System.Globalization;
using CoAP.NET.Options;
using static CoAP.NET.Proxy.Forwarding.OptionHandling;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// A table of the options that a proxy forwards, in both directions (RFC 7252 section 5.7.1 and the RFCs of the options).
/// </summary>
internal static class ForwardedOptions
{
    /// <summary>
    /// The options that this proxy knows. Bodies end at the proxy and start again on the other side, so options of blocks never pass. An
    /// option in the wrong kind of message counts as unknown.
    /// </summary>
    public static readonly OptionRow[] Rows =
    [
        new(OptionNumber.IfMatch, Forward, Forward),
        new(OptionNumber.UriHost, Consume, Refuse),
        new(OptionNumber.ETag, Forward, Forward),
        new(OptionNumber.IfNoneMatch, Forward, Forward),
        new(OptionNumber.Observe, Consume, Consume),
        new(OptionNumber.UriPort, Consume, Refuse),
        new(OptionNumber.LocationPath, Forward, Forward),
        new(OptionNumber.Oscore, Forward, Forward),
        new(OptionNumber.UriPath, Consume, Refuse),
        new(OptionNumber.ContentFormat, Forward, Forward),
        new(OptionNumber.MaxAge, Refuse, Forward),
        new(OptionNumber.UriQuery, Consume, Refuse),
        new(OptionNumber.HopLimit, Consume, Consume),
        new(OptionNumber.Accept, Forward, Forward),
        new(OptionNumber.QBlock1, Consume, Consume),
        new(OptionNumber.LocationQuery, Forward, Forward),
        new(OptionNumber.Edhoc, Forward, Forward),
        new(OptionNumber.Block2, Consume, Consume),
        new(OptionNumber.Block1, Consume, Consume),
        new(OptionNumber.Size2, Consume, Consume),
        new(OptionNumber.QBlock2, Consume, Consume),
        new(OptionNumber.ProxyUri, Consume, Refuse),
        new(OptionNumber.ProxyScheme, Consume, Refuse),
        new(OptionNumber.Size1, Consume, Forward),
        new(OptionNumber.Echo, Forward, Forward),
        new(OptionNumber.NoResponse, Consume, Refuse),
        new(OptionNumber.RequestTag, Consume, Forward),
    ];

    // Indexed by number because the proxy looks up each option of each message.
    private static readonly OptionHandling[] s_inRequest = Tabulate(static row => row.InRequest);
    private static readonly OptionHandling[] s_inResponse = Tabulate(static row => row.InResponse);

    /// <summary>Returns the handling of a request option.</summary>
    /// <param name="number">The option number.</param>
    public static OptionHandling InRequest(int number) => Find(s_inRequest, number);

    /// <summary>Returns the handling of a response option.</summary>
    /// <param name="number">The option number.</param>
    public static OptionHandling InResponse(int number) => Find(s_inResponse, number);

    /// <summary>Copies the options of a request that pass.</summary>
    /// <param name="request">The received request.</param>
    /// <param name="forwarded">Receives the options.</param>
    /// <param name="refused">The number of the option that forbids forwarding.</param>
    /// <returns>Whether the request may be forwarded.</returns>
    public static bool TryCopy(CoapRequest request, CoapOptionCollection forwarded, out int refused)
    {
        CoapOptionCollection options = request.Options;
        for (int i = 0; i < options.Count; i++)
        {
            refused = options.NumberAt(i);
            OptionHandling handling = InRequest(refused);
            if (handling == Refuse)
            {
                return false;
            }

            // An Echo that this server made stays at this hop (RFC 9175 section 2.3). The same applies to the Echo of a registration that a
            // run for observers repeats: a request with an Echo of the next server is never observed.
            bool isOwn = refused == OptionNumber.Echo && (request.EchoAge is not null || request.IsForObservers);
            if (handling == Forward && !isOwn)
            {
                forwarded.Add(refused, options.ValueAt(i));
            }
        }

        refused = 0;
        return true;
    }

    /// <summary>Copies the options of a response that pass.</summary>
    /// <param name="response">The received options.</param>
    /// <param name="forwarded">Receives the options.</param>
    /// <param name="refused">The number of the option that forbids forwarding.</param>
    /// <returns>Whether the response may be forwarded.</returns>
    public static bool TryCopy(CoapOptionCollection response, CoapOptionCollection forwarded, out int refused)
    {
        for (int i = 0; i < response.Count; i++)
        {
            refused = response.NumberAt(i);
            OptionHandling handling = InResponse(refused);
            if (handling == Refuse)
            {
                return false;
            }

            if (handling == Forward)
            {
                forwarded.Add(refused, response.ValueAt(i));
            }
        }

        refused = 0;
        return true;
    }

    /// <summary>Returns the number and, if it has one, the name of an option as human-readable text.</summary>
    /// <param name="number">The option number.</param>
    public static string Describe(int number) => CoapOptionRegistry.Default.Find(CoapCode.Get, number) is { } factory
        ? string.Create(CultureInfo.InvariantCulture, $"option {number} ({factory.Definition.Name})")
        : string.Create(CultureInfo.InvariantCulture, $"option {number}");

    private static OptionHandling[] Tabulate(Func<OptionRow, OptionHandling> handling)
    {
        OptionHandling[] table = [.. Enumerable.Range(0, Rows.Max(static row => row.Number) + 1).Select(Unknown)];
        foreach (OptionRow row in Rows)
        {
            table[row.Number] = handling(row);
        }

        return table;
    }

    private static OptionHandling Find(OptionHandling[] table, int number) =>
        (uint)number < (uint)table.Length ? table[number] : Unknown(number);

    private static OptionHandling Unknown(int number) => OptionNumber.IsUnsafe(number) ? Refuse : Forward;
}

/// <summary>A row of <see cref="ForwardedOptions"/>.</summary>
/// <param name="Number">The option number.</param>
/// <param name="InRequest">Its handling in a request.</param>
/// <param name="InResponse">Its handling in a response.</param>
internal readonly record struct OptionRow(int Number, OptionHandling InRequest, OptionHandling InResponse);

/// <summary>How a proxy handles an option.</summary>
internal enum OptionHandling : byte
{
    /// <summary>Forwards it unchanged.</summary>
    Forward,

    /// <summary>Processes it, and sends none or one of its own.</summary>
    Consume,

    /// <summary>Refuses the message: the option is unsafe to forward, and this proxy does not know it.</summary>
    Refuse,
}
