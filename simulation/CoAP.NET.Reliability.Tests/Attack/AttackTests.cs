using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Reliability.Tests.Attack;

/// <summary>The attack table in its small form; the large one is the campaign <c>attack</c>.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class AttackTests(ITestOutputHelper output)
{
    [Theory]
    [Rfc("7252-11.3-1", "7252-4.5-1", "7641-4.1-3", "7959-C-1")]
    [InlineData("sources-get")]
    [InlineData("sources-blind")]
    [InlineData("sources-garbage")]
    [InlineData("sources-post")]
    [InlineData("sources-block1")]
    [InlineData("sources-block2")]
    [InlineData("sources-observe")]
    [InlineData("sources-mixed")]
    public Task Forged_sources_take_a_bounded_memory_and_nobody_known_notices(string row) => HoldsAsync(row);

    [Theory]
    [Rfc("7252-11.3-1", "9175-2.4-1", "7641-7-1", "9175-2.4-2")]
    [InlineData("amplification-resource")]
    [InlineData("amplification-victim")]
    [InlineData("amplification-prefix")]
    [InlineData("amplification-endpoint")]
    [InlineData("amplification-observe")]
    public Task No_victim_gets_more_than_its_share_of_any_resource(string row) => HoldsAsync(row);

    [Fact]
    [Rfc("7252-8.2-1", "7252-8.2-2", "gc-3.1.2-1")]
    public Task Who_asks_a_group_in_the_name_of_a_victim_gets_it_no_more_than_by_unicast() => HoldsAsync("amplification-multicast");

    [Fact]
    [Rfc("7252-5.3.1-2", "7252-5.3.1-3")]
    public Task Tokens_Message_IDs_and_ports_tell_nothing_of_the_next() => HoldsAsync("guess-entropy");

    [Fact]
    [Rfc("7252-5.3.1-3", "7252-11.4-1")]
    public Task Guessed_responses_are_not_accepted() => HoldsAsync("guess-response");

    [Fact]
    [Rfc("7252-4.4-3")]
    public Task Guessed_resets_cancel_no_observation() => HoldsAsync("guess-reset");

    [Fact]
    [Rfc("7252-5.3.2-1")]
    public Task Responses_from_elsewhere_or_to_something_else_are_not_accepted() => HoldsAsync("spoof-response");

    [Fact]
    [Rfc("9175-4.2-1", "7252-5.3.1-2")]
    public Task A_response_that_comes_late_answers_no_other_request() => HoldsAsync("delay-response");

    [Fact]
    [Rfc("9175-2.3-1", "9175-2.2.1-2")]
    public Task A_request_that_comes_late_or_again_is_not_carried_out_where_freshness_is_required() => HoldsAsync("delay-request");

    [Fact]
    [Rfc("7252-4.2-6")]
    public Task Who_never_hears_of_a_change_is_told_that_its_outcome_is_unknown() => HoldsAsync("selective-blocking");

    [Fact]
    public Task Datagrams_of_other_protocols_run_no_handler_and_get_a_reset_at_most() => HoldsAsync("cross-protocol");

    [Fact]
    [Rfc("9175-3.3-1", "9175-3.4-1", "9175-3.5.1-1")]
    public Task Blocks_of_several_uploads_never_make_one_body() => HoldsAsync("fragments-upload");

    [Fact]
    [Rfc("7959-2.4-5", "9175-3.8-1")]
    public Task Blocks_of_several_representations_never_make_one_body() => HoldsAsync("fragments-download");

    [Fact]
    [Rfc("9177-4.4-2", "9177-11-1")]
    public Task A_list_that_names_a_missing_block_many_times_gets_it_once() => HoldsAsync("q-block");

    [Fact]
    [Rfc("7641-4.1-3")]
    public Task One_address_or_peer_takes_its_share_of_the_observers_only() => HoldsAsync("observe-flood");

    [Fact]
    [Rfc("7959-C-1")]
    public Task Half_uploads_and_huge_claims_take_a_bounded_memory() => HoldsAsync("block-flood");

    [Fact]
    public Task Peers_that_come_back_by_the_thousand_displace_nobody_with_something_under_way() => HoldsAsync("table-flood");

    [Fact]
    [Rfc("7252-5.6-1")]
    public Task A_cache_keeps_nothing_that_is_forged_and_gives_nothing_to_another_request() => HoldsAsync("cache");

    [Fact]
    [Rfc("7252-4.6-1")]
    public Task What_is_too_long_is_refused_without_an_error_of_the_servers() => HoldsAsync("oversized");

    [Fact]
    [Rfc("8949-10-1")]
    public Task Payloads_that_want_to_become_large_cost_what_they_weigh() => HoldsAsync("parser-bombs");

    [Fact]
    [Rfc("8323-5.3.1-2")]
    public Task Slow_connections_are_closed() => HoldsAsync("slow-loris");

    [Fact]
    public Task Connections_beyond_the_bounds_are_refused_and_counted() => HoldsAsync("connection-flood");

    [Fact]
    public Task Handlers_that_block_hold_up_nobody_else() => HoldsAsync("slow-handlers");

    [Fact]
    public Task A_proxy_asks_nobody_who_is_not_allowed_however_he_is_spelled() => HoldsAsync("proxy-relay");

    [Fact]
    public Task A_proxy_sends_nothing_on_for_forged_addresses() => HoldsAsync("proxy-spoofed");

    [Fact]
    public Task Slow_servers_behind_a_proxy_hold_up_nobody_who_asks_others() => HoldsAsync("proxy-slow");

    [Theory]
    [InlineData("proxy-observe")]
    [InlineData("proxy-cache")]
    [InlineData("proxy-uploads")]
    public Task Who_takes_all_of_a_proxy_that_he_can_get_leaves_enough_for_others(string row) => HoldsAsync(row);

    [Fact]
    public Task Clients_of_HTTP_hold_no_more_of_a_gateway_than_their_share() => HoldsAsync("proxy-http");

    [Fact]
    public Task Answers_without_end_take_a_bounded_memory_of_a_proxy() => HoldsAsync("proxy-body");

    [Fact]
    [Rfc("8613-8.2-1", "9175-2.4-1")]
    public Task Forged_IDs_of_OSCORE_cost_few_look_ups_and_no_memory_and_new_devices_are_found() => HoldsAsync("oscore-kids");

    [Fact]
    public Task Bodies_as_large_as_blocks_can_number_take_the_memory_of_a_window_of_a_proxy() => HoldsAsync("proxy-gigabyte");

    [Theory]
    [InlineData("directory-fill")]
    [InlineData("directory-forged")]
    [InlineData("directory-lookups")]
    [InlineData("directory-watches")]
    [InlineData("directory-names")]
    [InlineData("directory-links")]
    [InlineData("directory-reflector")]
    public Task A_directory_has_places_for_others_tells_what_it_may_and_sends_to_nobody_else(string row) => HoldsAsync(row);

    [Theory]
    [InlineData("topics-fill")]
    [InlineData("topics-publish")]
    [InlineData("topics-fetch")]
    public Task A_broker_has_places_for_others_and_is_kept_busy_by_nobody(string row) => HoldsAsync(row);

    [Theory]
    [InlineData("directory-fill", "one-source")]
    [InlineData("directory-forged", "large-room")]
    [InlineData("directory-lookups", "no-scan-bound")]
    [InlineData("directory-watches", "no-watch-bound")]
    [InlineData("directory-names", "no-escapes")]
    [InlineData("directory-links", "one-link")]
    [InlineData("directory-reflector", "no-verification")]
    [InlineData("topics-fill", "one-source")]
    [InlineData("topics-publish", "no-rate")]
    [InlineData("topics-fetch", "each-by-itself")]
    [InlineData("proxy-relay", "no-target-check")]
    [InlineData("proxy-spoofed", "no-verification")]
    [InlineData("proxy-slow", "no-request-bound")]
    [InlineData("proxy-body", "no-body-bound")]
    [InlineData("proxy-gigabyte", "no-streams")]
    [InlineData("proxy-http", "no-http-bound")]
    [InlineData("proxy-observe", "no-observation-bound")]
    [InlineData("proxy-cache", "no-cache-bound")]
    [InlineData("proxy-uploads", "no-assembly-bound")]
    [InlineData("sources-get", "large-table")]
    [InlineData("amplification-victim", "no-amplification-limit")]
    [InlineData("amplification-observe", "many-copies")]
    [InlineData("guess-response", "constant-random")]
    [InlineData("delay-response", "reused-token")]
    [InlineData("delay-request", "no-freshness")]
    [InlineData("fragments-upload", "no-request-tags")]
    [InlineData("fragments-download", "no-etags")]
    [InlineData("observe-flood", "no-source-bound")]
    [InlineData("block-flood", "no-assembly-bound")]
    [InlineData("connection-flood", "no-connection-bound")]
    public async Task A_planted_defect_is_found(string row, string plant)
    {
        AttackRow found = AttackCampaign.Rows.Single(one => one.Name == row);
        Assert.Contains(plant, found.Plants);
        AttackRun run = await AttackCampaign.RunRowAsync(found, isShort: true, plant: plant);
        Assert.NotEmpty(run.Failures);
    }

    private async Task HoldsAsync(string row)
    {
        List<string> told = [];
        AttackRun run = await AttackCampaign.RunRowAsync(AttackCampaign.Rows.Single(one => one.Name == row), isShort: true, tell: told.Add);
        Assert.True(!run.Failures.Any(), string.Join(Environment.NewLine, run.Failures.Concat(told)));
        Assert.NotEmpty(run.Figures);
        foreach (AttackFigure figure in run.Figures)
        {
            output.WriteLine($"{figure.What}; bound {figure.Bound}");
        }
    }
}
