namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Bad input for every layer of the protocol: a theory for each table.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class HostileTests(HostileWorlds worlds) : IClassFixture<HostileWorlds>
{
    public static TheoryData<string, string> Rows(string layer) => HostileTable.Of(layer).Names;

    /// <summary>What is no message, or the wrong one (RFC 7252 sections 3 and 4).</summary>
    [Theory]
    [Rfc("7252-3-1", "7252-3-2", "7252-3-3", "7252-3.1-2", "7252-3.1-3", "7252-3.1-4", "7252-4.1-1", "7252-4.2-2", "7252-4.2-5",
        "7252-4.3-1", "7252-4.3-2", "8974-2.1-1", "8974-2.2.2-3")]
    [MemberData(nameof(Rows), "message")]
    public Task Bytes_that_are_no_message_or_an_unexpected_message_cause_no_harm(string peer, string row) =>
        worlds.RunAsync("message", peer, row);

    /// <summary>Options that are too short, too long, too many, in the wrong place or unknown (RFC 7252 section 5.4).</summary>
    [Theory]
    [Rfc("7252-5.4-1", "7252-5.4.1-1", "7252-5.4.1-2", "7252-5.4.1-3", "7252-5.4.1-4", "7252-5.4.3-1", "7252-5.4.5-1", "7252-5.7.2-1",
        "7252-5.10.7-2", "8768-3-1", "8768-3-2", "9177-4.1-1")]
    [MemberData(nameof(Rows), "options")]
    public Task Options_that_are_too_short_too_long_too_many_misplaced_or_unknown_do_no_harm(string peer, string row) =>
        worlds.RunAsync("options", peer, row);

    /// <summary>Values of options that are no text, lead elsewhere or mean nothing (RFC 7252 sections 3.2 and 5.10).</summary>
    [Theory]
    [Rfc("7252-3.2-2", "7252-3.2-3", "7252-5.10.1-1", "7252-5.10.1-2", "7252-11.1-1", "7252-6.4-1", "7252-5.5-1", "8132-2.3.1-1")]
    [MemberData(nameof(Rows), "values")]
    public Task Option_values_that_are_not_text_point_elsewhere_or_have_no_meaning_do_no_harm(string peer, string row) =>
        worlds.RunAsync("values", peer, row);

    /// <summary>
    /// Message IDs and tokens that come again, belong to others or come from elsewhere (RFC 7252 sections 4.4, 4.5 and 5.3).
    /// </summary>
    [Theory]
    [Rfc("7252-4.4-2", "7252-4.5-1", "7252-4.5-2", "7252-4.5-3", "7252-4.5-4", "7252-4.5-5", "7252-4.2-5", "7252-4.2-9",
        "7252-5.2.2-3", "7252-5.3.2-1", "7252-5.3.2-2", "7252-5.3.2-3")]
    [MemberData(nameof(Rows), "Message IDs and tokens")]
    public Task Message_IDs_and_tokens_that_come_again_or_belong_to_others_do_no_harm(string peer, string row) =>
        worlds.RunAsync("Message IDs and tokens", peer, row);

    /// <summary>Registrations and notifications that are out of range, out of order or out of place (RFC 7641).</summary>
    [Theory]
    [Rfc("7641-2-1", "7641-3.4-1", "7641-3.5-1", "7641-4.1-2", "7641-4.1-3", "7641-4.1-4", "7641-4.1-5", "7641-4.2-2", "7641-4.5-2")]
    [MemberData(nameof(Rows), "Observe")]
    public Task Registrations_and_notifications_that_are_out_of_range_out_of_order_or_misplaced_do_no_harm(string peer, string row) =>
        worlds.RunAsync("Observe", peer, row);

    /// <summary>Blocks of other sizes, out of order, of other bodies, and without end (RFC 7959, RFC 9177).</summary>
    [Theory]
    [Rfc("7959-2.1-1", "7959-2.2-1", "7959-2.2-2", "7959-2.2-4", "7959-2.3-1", "7959-2.3-4", "7959-2.4-5", "7959-2.4-6", "7959-2.5-3",
        "7959-2.5-4", "7959-2.5-7", "7959-2.5-8", "7959-2.9.2-1", "7959-C-1", "7959-C-2", "7959-C-3", "9175-3.3-1", "9177-11-1")]
    [MemberData(nameof(Rows), "Block")]
    public Task Blocks_of_other_sizes_out_of_order_of_other_bodies_and_without_end_do_no_harm(string peer, string row) =>
        worlds.RunAsync("Block", peer, row);

    /// <summary>Signalling messages that come too early, too often, wrongly or not at all (RFC 8323 section 5).</summary>
    [Theory]
    [Rfc("8323-3.3-1", "8323-3.3-3", "8323-5.2-1", "8323-5.3-1", "8323-5.3.1-1", "8323-5.4-1", "8323-5.4.1-1", "8323-5.5-1",
        "8323-5.6-1", "8323-10.1-1", "8974-2.2.1-1", "8974-2.2.1-2")]
    [MemberData(nameof(Rows), "signalling")]
    public Task Signalling_messages_too_early_too_often_wrong_or_missing_do_no_harm(string peer, string row) =>
        worlds.RunAsync("signalling", peer, row);

    /// <summary>Frames with bad lengths and contents, cut frames, and what is no CoAP (RFC 8323 section 3).</summary>
    [Theory]
    [Rfc("8323-3.2-1", "8323-3.3-3", "8323-3.3-4", "8323-3.4-1", "8323-3.4-2", "8323-5.3.1-2", "8323-5.6-1", "8323-5.6-3")]
    [MemberData(nameof(Rows), "frames")]
    public Task Frames_with_bad_lengths_and_contents_and_cut_frames_do_no_harm(string peer, string row) =>
        worlds.RunAsync("frames", peer, row);

    /// <summary>Filters that a server is asked with, and documents that a client is answered with (RFC 6690).</summary>
    [Theory]
    [Rfc("6690-2-1", "6690-2-3", "6690-4.1-1", "6690-4.1-2", "6690-4-1")]
    [MemberData(nameof(Rows), "link format")]
    public Task Hostile_link_filters_and_link_documents_do_no_harm(string peer, string row) =>
        worlds.RunAsync("link format", peer, row);

    /// <summary>URIs of somebody who means harm (RFC 7252 section 6).</summary>
    [Theory]
    [Rfc("7252-5.10.1-1", "7252-5.10.1-3", "7252-6.1-1", "7252-6.4-1")]
    [MemberData(nameof(Rows), "URI")]
    public Task Malicious_URIs_do_no_harm(string peer, string row) =>
        worlds.RunAsync("URI", peer, row);

    /// <summary>Echo values that are foreign, stale, cut or too long (RFC 9175 section 2).</summary>
    [Theory]
    [Rfc("9175-2.2.1-1", "9175-2.2.1-2", "9175-2.3-1", "9175-2.3-2", "9175-2.3-4", "9175-2.4-2")]
    [MemberData(nameof(Rows), "freshness")]
    public Task Echo_values_that_are_foreign_stale_truncated_or_too_long_do_no_harm(string peer, string row) =>
        worlds.RunAsync("freshness", peer, row);

    /// <summary>Responses that a cache must not keep, or not use again (RFC 7252 section 5.6).</summary>
    [Theory]
    [Rfc("7252-5.3.2-1", "7252-5.6-2", "7252-5.6-3", "7252-5.6.1-1", "7252-5.6.2-2", "7252-5.6.2-3")]
    [MemberData(nameof(Rows), "cached answers")]
    public Task Responses_that_a_cache_must_not_store_or_reuse_do_no_harm(string peer, string row) =>
        worlds.RunAsync("cached answers", peer, row);

    /// <summary>Bytes of other protocols on the port of CoAP.</summary>
    [Theory]
    [Rfc("7252-3-1", "7252-4.2-2", "7252-4.3-2")]
    [MemberData(nameof(Rows), "other protocols")]
    public Task Bytes_of_other_protocols_do_no_harm(string peer, string row) =>
        worlds.RunAsync("other protocols", peer, row);
}
