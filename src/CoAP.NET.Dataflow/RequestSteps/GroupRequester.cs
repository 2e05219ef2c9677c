using System.Net;
using System.Runtime.CompilerServices;
using CoAP.NET.Composition;
using CoAP.NET.Connecting;
using CoAP.NET.Exchanges;
using CoAP.NET.Groups;
using CoAP.NET.Transports;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.RequestSteps;

/// <summary>
/// Sends requests to groups and returns the responses of their members (RFC 7252 section 8). Thread-safe; the caller must hold no lock.
/// </summary>
/// <param name="environment">Provides clock, limits and log.</param>
/// <param name="transports">The transports.</param>
/// <param name="hosts">Finds hosts.</param>
/// <param name="channels">Finds peers.</param>
/// <param name="steps">Fetch the rest of large responses.</param>
/// <param name="requests">The running requests.</param>
internal sealed class GroupRequester(
    CoapEnvironment environment, TransportSet transports, HostLookup hosts, ChannelFinder channels, OutgoingRequestSteps steps,
    GroupRequests requests)
{
    /// <summary>Sends a request to a group. See <see cref="CoapEndpoint.SendToGroupAsync"/>.</summary>
    /// <param name="request">The request.</param>
    /// <param name="options">Interface, hop limit and limits.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The responses; each enumeration sends the request again.</returns>
    public IAsyncEnumerable<CoapGroupResponse> SendAsync(CoapRequest request, CoapGroupRequestOptions options,
        CancellationToken cancellationToken)
    {
        RequestComposer.Check(request);
        if (request.Confirmable)
        {
            throw new ArgumentException(
                "A request to a group must be Non-confirmable, because its members cannot all acknowledge it (RFC 7252 section 8.1). "
                    + "Set Confirmable to false.", nameof(request));
        }

        if (request.Transfer is { LeavesBodyOut: true } || request.Content?.Open is not null)
        {
            throw new ArgumentException(
                "A request to a group has one message and many responses. Use Destination, Download and a Content that is read from a "
                    + "stream only for requests to one peer.", nameof(request));
        }

        CoapUri uri = RequestComposer.CheckTarget(
            request.Uri ?? throw new ArgumentException("The request has no URI. Create it with the URI of a group.", nameof(request)));
        if (uri.Scheme != "coap")
        {
            throw new ArgumentException(
                $"'{request.Uri}': group requests need coap over UDP; {uri.Scheme} connects two peers only (RFC 7252 section 9.1).",
                nameof(request));
        }

        if (uri.HostAddress is { } address && !CoapAddress.FromIPEndPoint(new IPEndPoint(address, uri.Port)).IsMulticast)
        {
            throw new ArgumentException($"'{request.Uri}': {uri.Host} is not a group address. Use SendAsync.", nameof(request));
        }

        return EnumerateAsync(request, uri, options, cancellationToken);
    }

    private async IAsyncEnumerable<CoapGroupResponse> EnumerateAsync(
        CoapRequest request, CoapUri uri, CoapGroupRequestOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        CoapTransport transport = await transports.ForAsync(uri.Scheme, cancellationToken).ConfigureAwait(false);
        CoapAddress[] groups = await ResolveAsync(uri, options, cancellationToken).ConfigureAwait(false);
        GroupRequest sent = SendToFirst(transport, groups, request, uri, options);
        try
        {
            await foreach (GroupMemberResponse answer in sent.Answers.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            {
                yield return await CompleteAsync(answer, sent, request, uri, options, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            sent.End();
        }
    }

    private static bool Observes(CoapRequest request) => request.Message.OptionsToRead?.Observe == ObserveOption.RegisterValue;

    // An observation has no end by itself.
    private static TimeSpan TimeoutOf(CoapRequest request, CoapChannel channel) =>
        request.Timeout ?? (Observes(request) ? Timeout.InfiniteTimeSpan : (TimeSpan?)null) ?? channel.Parameters.ResponseTimeout
            ?? channel.Parameters.NonLifetime;

    private async ValueTask<CoapAddress[]> ResolveAsync(CoapUri uri, CoapGroupRequestOptions options, CancellationToken cancellationToken)
    {
        IPAddress[] addresses = await hosts.FindAsync(uri, cancellationToken).ConfigureAwait(false);
        CoapAddress[] groups = [.. addresses.Select(address => CoapAddress.FromIPEndPoint(new IPEndPoint(address, uri.Port)))
            .Where(static address => address.IsMulticast)];
        if (groups.Length == 0)
        {
            throw new CoapException(
                $"The name '{uri.Host}' is not a group: it has no address within 224.0.0.0/4 or ff00::/8. Use SendAsync for a single "
                    + "host.");
        }

        // The interface is part of the address, as for link-local addresses: the same group on two interfaces is two groups.
        return options.Interface is { } name
            ? [.. groups.Select(group => group with { ScopeId = (uint)UdpGroupManager.IndexOf(name, !group.IsIPv4) })]
            : groups;
    }

    // Tries the next address of a name if the endpoint has no socket for the previous one.
    private GroupRequest SendToFirst(CoapTransport transport, CoapAddress[] groups, CoapRequest request, CoapUri uri,
        CoapGroupRequestOptions options)
    {
        for (int i = 0; ; i++)
        {
            CoapChannel channel = channels.ChannelTo(transport, groups[i]);
            CoapMessage message = RequestComposer.Copy(request);
            RequestComposer.AddTarget(message, uri, groups[i]);
            GroupRequestSettings settings = new(
                TimeoutOf(request, channel), (byte)(options.HopLimit ?? 0), options.MaxResponses, options.IncludeRepeated,
                Observes(request));
            GroupRequest sent = steps.Sender.TryBegin(requests, channel, message, in settings)
                ?? throw new CoapException(
                    CoapError.Busy,
                    $"{environment.Limits.Requests.MaxGroupRequests} requests to groups are already running. "
                    + "Send fewer at a time, use a shorter Timeout, or raise MaxGroupRequests.");
            if (i + 1 == groups.Length || !sent.HasSendFailed)
            {
                return sent;
            }
        }
    }

    private async ValueTask<CoapGroupResponse> CompleteAsync(
        GroupMemberResponse answer, GroupRequest sent, CoapRequest request, CoapUri uri, CoapGroupRequestOptions options,
        CancellationToken cancellationToken)
    {
        CoapChannel member = answer.Channel;
        CoapResponse response = new(answer.Message, member.Remote);
        CoapException? error = null;
        if (answer.Message.HasOptions && answer.Message.Options.Block2 is { More: true })
        {
            (response, error) = await FetchWholeAsync(response, member, sent.Message, request, uri, options, cancellationToken)
                .ConfigureAwait(false);
        }

        return new CoapGroupResponse(response, CoapPeer.Of(member), UriAt(member.Remote, uri), error);
    }

    // RFC 7959 section 2.8: only the first block comes from the group request, the member gets requests for the rest alone.
    private async ValueTask<(CoapResponse Response, CoapException? Error)> FetchWholeAsync(
        CoapResponse first, CoapChannel member, CoapMessage sent, CoapRequest request, CoapUri uri, CoapGroupRequestOptions options,
        CancellationToken cancellationToken)
    {
        if (!options.FetchWhole || (sent.Code != CoapCode.Get && sent.Code != CoapCode.Fetch))
        {
            return (first, new CoapException("Only the first block of the response arrived; the client did not request the rest."));
        }

        CoapMessage message = new(sent.Code) { Type = CoapMessageType.Confirmable, Payload = sent.Payload };
        message.Options.AddAll(sent.Options);
        message.Options.Remove(OptionNumber.Block2);

        // No-Response was for the group, not for this one member.
        message.Options.Remove(OptionNumber.NoResponse);
        try
        {
            // Twice the time of the group at most: a member that answers with endless blocks must not delay the others forever.
            OutgoingRequest whole = new()
            {
                Request = request,
                Message = message,
                Channel = member,
                Target = uri,
                Timeout = TimeoutOf(request, member),
                StartedAt = environment.Now,
                FirstBlock = first,
                Cancellation = cancellationToken
            };
            CoapResponse response = await steps.Chain.SendAsync(whole, steps.Blockwise.Position).ConfigureAwait(false);
            return (response, null);
        }
        catch (CoapException exception)
        {
            GroupLog.GroupBodyIncomplete(environment.Logger, member.ToString(), exception.Message);
            return (first, exception);
        }
    }

    // RFC 7252 section 8.2: references in a response are relative to the request's URI with the address of the responding member.
    private static CoapUri UriAt(CoapAddress member, CoapUri uri)
    {
        CoapOptionCollection options = [];
        uri.AddTo(options, uri.HostAddress);
        options.Remove(OptionNumber.UriHost);
        CoapUri own = CoapUri.Compose(uri.Scheme, options, member.ToIPEndPoint());
        if (member.IsIPv4 || member.ScopeId == 0)
        {
            return own;
        }

        // Without its zone, a link-local address could not be used for sending.
        string text = own.ToString();
        return CoapUri.Parse(text.Insert(text.IndexOf(']', StringComparison.Ordinal), $"%25{member.ScopeId}"));
    }
}
