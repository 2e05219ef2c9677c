using System.Runtime.CompilerServices;
using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>
/// Shortcuts for common requests to groups (RFC 7252 section 8). The general method is <see cref="ICoapClient.SendToGroupAsync"/>.
/// </summary>
public static class CoapGroupRequests
{
    /// <summary>Sends a GET request to all members of a group.</summary>
    /// <param name="client">The client that sends the request.</param>
    /// <param name="uri">The URI, with the address of a group, such as <c>coap://224.0.1.187/temperature</c>.</param>
    /// <param name="timeout">How long to accept answers; null: see <see cref="CoapEndpoint.SendToGroupAsync"/>.</param>
    /// <param name="options">Interface, reach and limits; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The answers. Each enumeration sends the request again.</returns>
    /// <exception cref="ArgumentException">The URI has no group address.</exception>
    /// <exception cref="CoapException">During the enumeration: the request cannot be sent, or the endpoint was stopped.</exception>
    public static IAsyncEnumerable<CoapGroupResponse> GetFromGroupAsync(
        this ICoapClient client, string uri, TimeSpan? timeout = null, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.SendToGroupAsync(new CoapRequest(CoapMethod.Get, uri) { Confirmable = false, Timeout = timeout }, options,
            cancellationToken);
    }

    /// <summary>
    /// Requests the links of all members of a group from <c>/.well-known/core</c> (RFC 6690 section 4, RFC 7252 section 7.2).
    /// </summary>
    /// <remarks>Members without a matching link do not answer.</remarks>
    /// <param name="client">The client that sends the request.</param>
    /// <param name="uri">The group: scheme, host and port, such as <c>coap://224.0.1.187</c> or <c>coap://[ff02::fd%25eth0]</c>; a path is
    /// ignored.</param>
    /// <param name="filter">A filter such as <c>rt=temperature*</c>; null for all links (RFC 6690 section 4.1).</param>
    /// <param name="timeout">How long to accept answers; null: see <see cref="CoapEndpoint.SendToGroupAsync"/>.</param>
    /// <param name="options">Interface, reach and limits; null for the defaults.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The links of each member that answered with links. Answers that are not lists of links are skipped.</returns>
    /// <exception cref="ArgumentException">The URI has no group address.</exception>
    /// <exception cref="CoapException">During the enumeration: the request cannot be sent, or the endpoint was stopped.</exception>
    public static IAsyncEnumerable<CoapGroupLinks> DiscoverGroupAsync(
        this ICoapClient client,
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
                GroupLog.GroupLinksUnreadable(endpoint.Environment.Logger, answer.Peer.ToString(), error.ToString());
            }
        }
    }
}
