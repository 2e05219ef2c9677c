using System.Runtime.CompilerServices;
using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>
/// Requests to groups that are made often (RFC 7252 section 8). The general one is <see cref="CoapClient.SendToGroupAsync"/>.
/// </summary>
public static class CoapGroupRequests
{
    /// <summary>GET: asks all members of a group for a representation.</summary>
    /// <param name="client">Who asks.</param>
    /// <param name="uri">The URI, with the address of a group, such as <c>coap://224.0.1.187/temperature</c>.</param>
    /// <param name="timeout">For how long answers are taken; null: see <see cref="CoapEndpoint.SendToGroupAsync"/>.</param>
    /// <param name="options">Interface, reach and bounds; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answers; each enumeration sends the request anew.</returns>
    /// <exception cref="ArgumentException">The URI is not that of a group.</exception>
    /// <exception cref="CoapException">While enumerating: the request cannot be sent, or the endpoint was stopped.</exception>
    public static IAsyncEnumerable<CoapGroupResponse> GetFromGroupAsync(
        this CoapClient client, string uri, TimeSpan? timeout = null, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.SendToGroupAsync(new CoapRequest(CoapMethod.Get, uri) { Confirmable = false, Timeout = timeout }, options,
            cancellationToken);
    }

    /// <summary>
    /// Asks all members of a group for the links to their resources at <c>/.well-known/core</c> (RFC 6690 section 4, RFC 7252 section 7.2).
    /// Members without a link that matches are silent.
    /// </summary>
    /// <param name="client">Who asks.</param>
    /// <param name="uri">The group: scheme, host and port, such as <c>coap://224.0.1.187</c> or <c>coap://[ff02::fd%25eth0]</c>; a path is
    /// ignored.</param>
    /// <param name="filter">A filter such as <c>rt=temperature*</c>; null for all links (RFC 6690 section 4.1).</param>
    /// <param name="timeout">For how long answers are taken; null: see <see cref="CoapEndpoint.SendToGroupAsync"/>.</param>
    /// <param name="options">Interface, reach and bounds; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The links of each member that answered with some; what is no list of links is passed over.</returns>
    /// <exception cref="ArgumentException">The URI is not that of a group.</exception>
    /// <exception cref="CoapException">While enumerating: the request cannot be sent, or the endpoint was stopped.</exception>
    public static IAsyncEnumerable<CoapGroupLinks> DiscoverGroupAsync(
        this CoapClient client,
        string uri,
        string? filter = null,
        TimeSpan? timeout = null,
        CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(uri);
        CoapRequest request = new(CoapMethod.Get, CoapRequests.CoreOf(uri))
        {
            Accept = CoapContentFormat.LinkFormat,
            Confirmable = false,
            Timeout = timeout,
        };
        if (filter is not null)
        {
            request.Options.Add(new UriQuery(filter));
        }

        return ReadLinksAsync(client.Endpoint, client.SendToGroupAsync(request, options, cancellationToken), cancellationToken);
    }

    private static async IAsyncEnumerable<CoapGroupLinks> ReadLinksAsync(
        CoapEndpoint endpoint, IAsyncEnumerable<CoapGroupResponse> answers, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapGroupResponse answer in answers.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            if (!answer.Response.IsSuccess || answer.Error is not null)
            {
                continue;
            }

            if (CoapLinkFormat.TryParse(answer.Response.Payload.Span, out IReadOnlyList<CoapLink> links, out CoapLinkFormatError error))
            {
                yield return new CoapGroupLinks(answer.Peer, answer.Uri, links);
            }
            else
            {
                Log.GroupLinksUnreadable(endpoint.Environment.Logger, answer.Peer.ToString(), error.ToString());
            }
        }
    }
}
